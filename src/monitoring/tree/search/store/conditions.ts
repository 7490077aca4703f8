import { isAtOrBelow } from '../../../../access/rights/permissions.ts'
import { foldCase } from '../../../../lib/text.ts'
import type { Condition, Test, TextMatch, ValueTest } from '../filter.ts'
import type { Relation, TextField } from '../items.ts'
import type { Bound } from './bound.ts'
import { textFits } from './texts.ts'

export const SIGNS: Readonly<Record<Relation, string>> = {
  eq: '=',
  ne: '<>',
  ge: '>=',
  gt: '>',
  le: '<=',
  lt: '<',
}

const FOLDED: ReadonlySet<TextField> = new Set<TextField>(['name', 'deviceName', 'valueName'])

/** The text of a match in the form of the field's column: names are case-folded. */
export function matchFor(field: TextField, match: TextMatch): TextMatch {
  return match.by === 'defined' || !FOLDED.has(field) ? match : { by: match.by, text: foldCase(match.text) }
}

/** The SQL condition on a row of `o`; other tables are read by its id. The `+` keeps the planner from choosing an index
 * here: `search.ts` chooses what drives the query. */
export function conditionSql({ test, negated }: Condition, bound: Bound): string {
  const condition = testSql(test, bound)
  // The job's actor compares the values; here the value only has to be defined.
  if (test.kind === 'value') return test.match.by === 'defined' && negated ? '1' : condition
  return negated ? `not (${condition})` : `(${condition})`
}

function testSql(test: Test, bound: Bound): string {
  return (TESTS[test.kind] as (test: Test, bound: Bound) => string)(test, bound)
}

const TESTS: {
  readonly [Kind in Test['kind']]: (test: Extract<Test, { kind: Kind }>, bound: Bound) => string
} = {
  id: ({ relation, number }, bound) => `+o.id ${SIGNS[relation]} ${bound.add(number)}`,
  type: ({ type }, bound) => `+o.type = ${bound.add(type)}`,
  state: ({ state }, bound) =>
    `coalesce((select s.state from states s where s.object_id = o.id), 'undefined') = ${bound.add(state)}`,
  interval: ({ relation, number }, bound) => isJob(`j.interval_ms ${SIGNS[relation]} ${bound.add(number)}`),
  stopped: ({ stopped }) => isJob(`j.stopped = ${stopped ? 1 : 0}`),
  text: ({ field, match }, bound) =>
    FIELDS[field]((column) => textFits(column, matchFor(field, match), bound)),
  propertyId: ({ id }, bound) =>
    `exists (select 1 from properties p where p.id = ${bound.add(id)} and p.object_id = o.id)`,
  property: ({ key, match }, bound) => {
    const hasKey = key === null ? '1' : `p.key = ${bound.add(key)}`
    const fits = match.by === 'defined' ? '1' : textFits('p.value', match, bound)
    return hasProperty(`${hasKey} and ${fits}`)
  },
  propertyValue: (test, bound) => hasProperty(`p.key = ${bound.add(test.key)} and ${valueSql(test, bound)}`),
  value: (test, bound) =>
    `exists (select 1 from job_values v where v.job_id = o.id and ${namesValue(test, bound)})`,
  within: ({ tops }, bound) => isAtOrBelow('o.path', bound.add(JSON.stringify(tops))),
  among: ({ ids }, bound) => `+o.id in (select value from json_each(${bound.add(JSON.stringify(ids))}))`,
  nothing: () => '0',
}

/** The place of each text, around the condition on its column. */
const FIELDS: Readonly<Record<TextField, (fits: (column: string) => string) => string>> = {
  name: (fits) => fits('+o.name_folded'),
  subType: (fits) => fits('+o.sub_type'),
  address: (fits) => `exists (select 1 from devices d where d.id = o.id and ${fits('+d.address')})`,
  netmask: (fits) => `exists (select 1 from devices d where d.id = o.id and ${fits('+d.netmask')})`,
  deviceName: (fits) =>
    `exists (select 1 from objects d where d.id = o.parent_id and ${fits('+d.name_folded')})`,
  deviceAddress: (fits) =>
    `exists (select 1 from devices d where d.id = o.parent_id and ${fits('+d.address')})`,
  deviceNetmask: (fits) =>
    `exists (select 1 from devices d where d.id = o.parent_id and ${fits('+d.netmask')})`,
  propertyKey: (fits) => hasProperty(fits('p.key')),
  valueKey: (fits) => `exists (select 1 from job_values v where v.job_id = o.id and ${fits('v.key')})`,
  valueName: (fits) =>
    `exists (select 1 from job_values v where v.job_id = o.id and ${fits('+v.name_folded')})`,
}

/** A property's value: compared with a number by size, with anything else as text. */
export function valueSql(test: Extract<Test, { kind: 'propertyValue' }>, bound: Bound): string {
  const { relation, value } = test
  if (typeof value === 'string') return `p.value ${SIGNS[relation]} ${bound.add(value)}`
  // A value that is not a number differs from every number.
  return relation === 'ne'
    ? `p.number is not ${bound.add(value)}`
    : `p.number ${SIGNS[relation]} ${bound.add(value)}`
}

function namesValue(test: ValueTest, bound: Bound): string {
  return `(v.key = ${bound.add(test.value)} or +v.name_folded = ${bound.add(foldCase(test.value))})`
}

function isJob(condition: string): string {
  return `exists (select 1 from jobs j where j.id = o.id and ${condition})`
}

function hasProperty(condition: string): string {
  return `exists (select 1 from properties p where p.object_id = o.id and ${condition})`
}
