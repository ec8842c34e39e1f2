BEGIN IMMEDIATE;
DROP TRIGGER sessions_titled;
PRAGMA user_version = 7;
COMMIT;