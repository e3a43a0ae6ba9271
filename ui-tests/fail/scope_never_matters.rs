surefire::recipe! {
    recipe ReadOnly {
        tools: [read],
        scope: { deny: [".github/**"] },
        initial: Look,
        step Look { prompt: "Look.", outcomes: [Complete], Complete => Think if changed }
        step Think { prompt: "Think.", tools: [read, web], outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

surefire::recipe! {
    /// One mistake is one error: with these lists read, the scope would matter.
    recipe Unread {
        tools: [read],
        scope: { deny: [".github/**"] },
        initial: Look,
        step Look { prompt: "Look.", tool: [edit], outcomes: [Complete], Complete => Think }
        step Think { prompt: "Think.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

surefire::recipe! {
    recipe Misspelt {
        scope: { deny: [".github/**"] },
        initial: Look,
        step Look { prompt: "Look.", tools: [read, edt], outcomes: [Complete], Complete => Think }
        step Think { prompt: "Think.", tools: [read], outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {
    drop((ReadOnly::begin(), Unread::begin(), Misspelt::begin()));
}
