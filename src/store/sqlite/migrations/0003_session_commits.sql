-- How many commits the writers of a session have counted, so that one which is written again is found out.
ALTER TABLE sessions ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;
