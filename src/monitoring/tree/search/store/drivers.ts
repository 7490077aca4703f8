import { foldCase } from '../../../../lib/text.ts'
import type { Condition, Test, TextMatch } from '../filter.ts'
import type { TextField } from '../items.ts'
import type { Bound } from './bound.ts'
import { matchFor, SIGNS, valueSql } from './conditions.ts'
import { gramQuery, textFits, textSeek } from './texts.ts'

/** A query for the ids of all objects that can meet the condition, from an index and without a scan of all objects;
 * null if no index helps, as for negated conditions. */
export function driverSql({ test, negated }: Condition, bound: Bound): string | null {
  return negated ? null : (DRIVERS[test.kind] as (test: Test, bound: Bound) => string | null)(test, bound)
}

const DRIVERS: {
  readonly [Kind in Test['kind']]: (test: Extract<Test, { kind: Kind }>, bound: Bound) => string | null
} = {
  id: ({ relation, number }, bound) =>
    `select i.id from objects i where i.id ${SIGNS[relation]} ${bound.add(number)}`,
  // Objects without a state are not in the table.
  state: ({ state }, bound) =>
    state === 'undefined'
      ? null
      : `select s.object_id as id from states s where s.state = ${bound.add(state)}`,
  interval: ({ relation, number }, bound) =>
    `select j.id from jobs j where j.interval_ms ${SIGNS[relation]} ${bound.add(number)}`,
  stopped: ({ stopped }) => `select j.id from jobs j where j.stopped = ${stopped ? 1 : 0}`,
  text: ({ field, match }, bound) => FIELDS[field](matchFor(field, match), bound),
  propertyId: ({ id }, bound) => `select p.object_id as id from properties p where p.id = ${bound.add(id)}`,
  property: propertyDriver,
  propertyValue: (test, bound) =>
    `select p.object_id as id from properties p where p.key = ${bound.add(test.key)} and ${valueSql(test, bound)}`,
  value: ({ value }, bound) =>
    `select v.job_id as id from job_values v where v.key = ${bound.add(value)}
      union select v.job_id from job_values v where v.name_folded = ${bound.add(foldCase(value))}`,
  within: ({ tops }, bound) =>
    `select d.id from json_each(${bound.add(JSON.stringify(tops))}) top join objects a on a.id = top.value
      cross join objects d on d.path >= a.path and d.path < a.path || '~'`,
  among: ({ ids }, bound) => `select value as id from json_each(${bound.add(JSON.stringify(ids))})`,
  type: () => null,
  nothing: () => null,
}

type TextDriver = (match: TextMatch, bound: Bound) => string | null

const FIELDS: Readonly<Record<TextField, TextDriver>> = {
  name: nameDriver,
  subType: seeking(
    "select i.id from objects i where i.type in ('device', 'group', 'job', 'slc', 'slo') and",
    'i.sub_type',
  ),
  address: seeking('select d.id from devices d where', 'd.address'),
  netmask: seeking('select d.id from devices d where', 'd.netmask'),
  deviceName: (match, bound) => jobsOf(nameDriver(match, bound)),
  deviceAddress: (match, bound) => jobsOf(FIELDS.address(match, bound)),
  deviceNetmask: (match, bound) => jobsOf(FIELDS.netmask(match, bound)),
  propertyKey: (match, bound) =>
    `select p.object_id as id from properties p
      where ${textSeek('p.key', match, bound) ?? `p.key in (${keysThatFit('properties', match, bound)})`}`,
  valueKey: (match, bound) =>
    `select v.job_id as id from job_values v
      where ${textSeek('v.key', match, bound) ?? `v.key in (${keysThatFit('job_values', match, bound)})`}`,
  valueName: seeking('select v.job_id as id from job_values v where', 'v.name_folded'),
}

/** A query for objects by a text of their name; null if the text is too short or too vague for an index. */
export function nameDriver(match: TextMatch, bound: Bound): string | null {
  const seek = textSeek('i.name_folded', match, bound)
  if (seek !== null) return `select i.id from objects i where ${seek}`
  const grams = gramQuery(match)
  return grams === null
    ? null
    : `select rowid as id from name_grams where name_grams match ${bound.add(grams)}`
}

/** A query for objects whose column matches, if an index can answer it. */
function seeking(select: string, column: string): TextDriver {
  return (match, bound) => {
    const seek = textSeek(column, match, bound)
    return seek === null ? null : `${select} ${seek}`
  }
}

function propertyDriver({ key, match }: Extract<Test, { kind: 'property' }>, bound: Bound): string | null {
  const seek = match.by === 'defined' ? '1' : textSeek('p.value', match, bound)
  const from = 'select p.object_id as id from properties p where'
  if (key !== null) {
    const fits = seek ?? (match.by === 'defined' ? '1' : textFits('p.value', match, bound))
    return `${from} p.key = ${bound.add(key)} and ${fits}`
  }
  if (match.by === 'defined' || seek === null) return null
  return `${from} p.key in (${keys('properties')} select k from keys where k is not null) and ${seek}`
}

function jobsOf(devices: string | null): string | null {
  return devices && `select c.id from objects c where c.type = 'job' and c.parent_id in (${devices})`
}

function keysThatFit(table: 'properties' | 'job_values', match: TextMatch, bound: Bound): string {
  return `${keys(table)} select k from keys where k is not null and ${textFits('k', match, bound)}`
}

/** The distinct keys of a table, each found by one index step: there are few keys and many rows. */
function keys(table: 'properties' | 'job_values'): string {
  return `with recursive keys(k) as (
    select min(key) from ${table}
    union all
    select (select min(t.key) from ${table} t where t.key > keys.k) from keys where keys.k is not null
  )`
}
