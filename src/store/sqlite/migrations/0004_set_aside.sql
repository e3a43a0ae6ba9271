-- Why a run was set aside: it cannot be read. NULL for every other run.
ALTER TABLE runs ADD COLUMN set_aside TEXT;

-- A run in which something happens again can be read again.
CREATE TRIGGER set_aside_until_the_next_event AFTER UPDATE OF last_seq ON runs
WHEN OLD.set_aside IS NOT NULL AND NEW.last_seq <> OLD.last_seq
BEGIN
    UPDATE runs SET set_aside = NULL WHERE number = NEW.number;
END;
