-- How many commits the writers of a session have counted, so that one which is written again is found out.
ALTER TABLE sessions ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;

-- Whether the agent may have got a prompt that is delivered once more: it is told so, also by the next server.
ALTER TABLE prompts ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
