-- Messages, events and attempts name their session and their run by number: an id has ten times the bytes, and each index
-- entry had one. What an agent is told again and again, word for word, is persisted once.
DROP VIEW timeline;
DROP TRIGGER places_are_given_once;
DROP TRIGGER events_never_change;
DROP TRIGGER events_stay_with_their_run;
DROP INDEX open_chats;
ALTER TABLE messages RENAME TO messages_before;
ALTER TABLE events RENAME TO events_before;
ALTER TABLE attempts RENAME TO attempts_before;

-- What agents are told. A message that repeats it names its number.
CREATE TABLE texts (
    number INTEGER PRIMARY KEY,
    -- To find a text by; two texts may have the same.
    hash INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX texts_by_hash ON texts (hash);

-- What was said in the sessions; the view `conversation` has the words of all.
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
INSERT INTO messages (number, session, "offset", id, role, text, at, attempt, run, delivered)
SELECT old.number, sessions.number, old."offset", old.id, old.role, old.text, old.at, old.attempt, old.run, old.delivered
FROM messages_before AS old CROSS JOIN sessions ON sessions.id = old.session ORDER BY old.number;
DROP TABLE messages_before;

-- What happened: the truth, in the order it was written.
CREATE TABLE events (
    place INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (run, seq)
) STRICT;
INSERT INTO events (place, run, seq, at, event, body)
SELECT old.place, runs.number, old.seq, old.at, old.event, old.body
FROM events_before AS old CROSS JOIN runs ON runs.id = old.run ORDER BY old.place;
DROP TABLE events_before;
CREATE TRIGGER events_never_change BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are never changed');
END;
-- They go when their run does, and never without it.
CREATE TRIGGER events_stay_with_their_run BEFORE DELETE ON events
WHEN EXISTS (SELECT 1 FROM runs WHERE number = OLD.run)
BEGIN
    SELECT RAISE(ABORT, 'events are deleted with their run only');
END;
CREATE TRIGGER places_are_given_once BEFORE DELETE ON runs
BEGIN
    UPDATE store SET last_place = max(last_place, (SELECT coalesce(max(place), 0) FROM events));
END;

-- The agents' turns. One that belongs to a run is open for as long as the run names it. (A foreign key for `run` would
-- need an index, which every turn would pay for.)
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
-- An attempt of a run that is not there any more would be taken for one outside of a run, and stays behind.
INSERT INTO attempts (id, run, session, prompt, began_at, pid, process_started, chat_ended)
SELECT old.id, runs.number, sessions.number, old.prompt, old.began_at, old.pid, old.process_started, old.chat_ended
FROM attempts_before AS old
CROSS JOIN sessions ON sessions.id = old.session
LEFT JOIN runs ON runs.id = old.run
WHERE old.run IS NULL OR runs.number IS NOT NULL ORDER BY old.id;
DROP TABLE attempts_before;
CREATE INDEX open_chats ON attempts (session) WHERE run IS NULL AND chat_ended = 0;

-- For people: what happened, with its time and what it was about.
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

-- For people: what was said, with its time and its words.
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
