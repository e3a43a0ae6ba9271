-- The tables as all migrations together make them; `UPDATE_DOCS=1 cargo test --test store sqlite` writes it.
-- Version 7.

CREATE TABLE store (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    -- Raised by each server that opens the store; who holds an older one must not write any more.
    epoch INTEGER NOT NULL,
    -- The last place that was given to an event which may have been deleted since.
    last_place INTEGER NOT NULL,
    -- Whether recipes are switched on.
    orchestration INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    directory TEXT NOT NULL,
    agent TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    messages INTEGER NOT NULL DEFAULT 0,
    last_message_at INTEGER NOT NULL DEFAULT 0,
    opened INTEGER NOT NULL DEFAULT 0,
    orchestration INTEGER NOT NULL DEFAULT 1
, system_prompt TEXT, commits INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    recipe TEXT NOT NULL,
    directory TEXT NOT NULL,
    agent TEXT NOT NULL,
    rehearsal INTEGER NOT NULL,
    continues TEXT,
    started_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    step TEXT NOT NULL,
    steps INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    -- The turn that the agent is in.
    attempt TEXT,
    ended_at INTEGER,
    reason TEXT,
    resume_at INTEGER,
    ending TEXT
, set_aside TEXT) STRICT;

CREATE INDEX runs_of_session ON runs (session);

CREATE UNIQUE INDEX one_open_run_per_session ON runs (session) WHERE ended_at IS NULL;

CREATE TRIGGER open_runs_stay BEFORE DELETE ON runs WHEN OLD.ended_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'a run that goes on is not deleted');
END;

CREATE TABLE prompts (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    run TEXT,
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    taken INTEGER NOT NULL DEFAULT 0
, again INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX waiting_prompts ON prompts (session) WHERE taken = 0;

CREATE VIEW run_list AS
SELECT
    id AS run,
    recipe,
    strftime('%Y-%m-%d %H:%M:%f', started_at / 1000.0, 'unixepoch') AS started,
    step,
    steps,
    coalesce(reason, 'goes on') AS ended,
    round(cost_usd, 2) AS cost_usd,
    directory
FROM runs ORDER BY number DESC;

CREATE TRIGGER set_aside_until_the_next_event AFTER UPDATE OF last_seq ON runs
WHEN OLD.set_aside IS NOT NULL AND NEW.last_seq <> OLD.last_seq
BEGIN
    UPDATE runs SET set_aside = NULL WHERE number = NEW.number;
END;

CREATE TABLE texts (
    number INTEGER PRIMARY KEY,
    -- To find a text by; two texts may have the same.
    hash INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE INDEX texts_by_hash ON texts (hash);

CREATE TABLE messages (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    "offset" INTEGER NOT NULL,
    id TEXT NOT NULL,
    role TEXT NOT NULL,
    -- The words, or the number of the text that has them.
    text TEXT,
    said INTEGER,
    at INTEGER NOT NULL,
    -- These two outlive what they name: the conversation stays when a run is pruned.
    attempt TEXT,
    run TEXT,
    -- Whether the agent got it, or may have: not so for a prompt that was withdrawn while it was queued.
    delivered INTEGER NOT NULL DEFAULT 1,
    UNIQUE (session, "offset")
) STRICT;

CREATE TABLE events (
    place INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (run, seq)
) STRICT;

CREATE TRIGGER events_never_change BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are never changed');
END;

CREATE TRIGGER events_stay_with_their_run BEFORE DELETE ON events
WHEN EXISTS (SELECT 1 FROM runs WHERE number = OLD.run)
BEGIN
    SELECT RAISE(ABORT, 'events are deleted with their run only');
END;

CREATE TRIGGER places_are_given_once BEFORE DELETE ON runs
BEGIN
    UPDATE store SET last_place = max(last_place, (SELECT coalesce(max(place), 0) FROM events));
END;

CREATE TABLE attempts (
    id TEXT PRIMARY KEY,
    run INTEGER,
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    prompt TEXT,
    began_at INTEGER NOT NULL,
    pid INTEGER,
    process_started TEXT,
    -- For one outside of a run: whether it is over.
    chat_ended INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX open_chats ON attempts (session) WHERE run IS NULL AND chat_ended = 0;

CREATE VIEW timeline AS
SELECT
    events.place,
    strftime('%Y-%m-%d %H:%M:%f', events.at / 1000.0, 'unixepoch') AS time,
    runs.recipe,
    runs.id AS run,
    events.seq,
    events.event,
    coalesce(body ->> '$.step', body ->> '$.to', body ->> '$.ending.step') AS step,
    coalesce(
        body ->> '$.read.outcome', body ->> '$.read.problem', body ->> '$.outcome', body ->> '$.problem',
        body ->> '$.purpose.kind', body ->> '$.ending.reason', body ->> '$.text', body ->> '$.by'
    ) AS what
FROM events JOIN runs ON runs.number = events.run
ORDER BY events.place;

CREATE VIEW conversation AS
SELECT
    sessions.id AS session,
    messages."offset",
    strftime('%Y-%m-%d %H:%M:%f', messages.at / 1000.0, 'unixepoch') AS time,
    messages.role,
    coalesce(messages.text, texts.text) AS text,
    messages.attempt,
    messages.run,
    messages.delivered
FROM messages
JOIN sessions ON sessions.number = messages.session
LEFT JOIN texts ON texts.number = messages.said;
