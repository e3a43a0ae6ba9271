-- Whether the agent got a message, or may have: not so for a prompt that was withdrawn while it was queued.
ALTER TABLE messages ADD COLUMN delivered INTEGER NOT NULL DEFAULT 1;
