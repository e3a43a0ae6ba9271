-- Whether the agent may have got a prompt that is delivered once more: it is told so, also by the next server.
ALTER TABLE prompts ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
