export const JOURNAL_COLUMNS = '(id integer primary key, entries text not null) strict'

/**
 * The values database: one file on Bun, the storage of each job's object on Workers. `db/README.md` says what every
 * column means. Statements are applied in order at every opening, so each must do nothing the second time.
 */
export const VALUES_SCHEMA = [
  `create table if not exists journal ${JOURNAL_COLUMNS}`,
  `create table if not exists actors (
     job_id integer primary key, journal_id integer not null, state text not null
   ) strict`,
  `create table if not exists segments (
     job_id integer not null, series integer not null, level integer not null,
     from_at integer not null, place integer not null, head blob not null, body blob not null,
     primary key (job_id, series, level, from_at, place)
   ) strict, without rowid`,
  `create table if not exists rollups (
     job_id integer not null, series integer not null, level integer not null, block integer not null,
     body blob not null, primary key (job_id, series, level, block)
   ) strict, without rowid`,
  `create table if not exists expired (
     job_id integer not null, series integer not null, end_at integer not null, primary key (job_id, series)
   ) strict, without rowid`,
  'create table if not exists blobs (id integer primary key, job_id integer not null, orphaned integer not null) strict',
  `create table if not exists repeats (
     job_id integer not null, key text not null, digest text not null, answer text not null,
     until_at integer not null, primary key (job_id, key)
   ) strict, without rowid`,
  'create index if not exists repeats_by_end on repeats (until_at)',
  'create table if not exists meta (key text primary key, value integer not null) strict, without rowid',
] as const

/** The version of everything above and of the formats inside; a database with another one is refused. */
export const VALUES_VERSION = 2
