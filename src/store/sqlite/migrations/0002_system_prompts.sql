-- What a session's agent is told beside every prompt.
ALTER TABLE sessions ADD COLUMN system_prompt TEXT;
