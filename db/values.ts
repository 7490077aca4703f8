/**
 * The values database: one file on Bun, the storage of each job's object on Workers. `db/README.md` says what every
 * column means. Statements are applied in order at every opening, so each must do nothing the second time.
 */
export const VALUES_SCHEMA = [
  'create table if not exists journal (id integer primary key, entries text not null) strict',
  `create table if not exists actors (
     job_id integer primary key, journal_id integer not null, state text not null
   ) strict`,
  `create table if not exists segments (
     id integer primary key, job_id integer not null, series integer not null,
     from_at integer not null, to_at integer not null, count integer not null,
     min real, max real, sum real, first real, last real, body blob not null
   ) strict`,
  'create index if not exists segments_by_series on segments (job_id, series, from_at, id)',
  `create table if not exists repeats (
     job_id integer not null, key text not null, digest text not null, answer text not null,
     until_at integer not null, primary key (job_id, key)
   ) strict, without rowid`,
  'create index if not exists repeats_by_end on repeats (until_at)',
  'create table if not exists meta (key text primary key, value integer not null) strict, without rowid',
] as const

/** The version of everything above and of the formats inside; a database with a greater one is refused. */
export const VALUES_VERSION = 1
