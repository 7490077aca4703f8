import { durationText } from '../../../src/lib/duration.ts'
import type { Word } from '../parser.ts'
import type { Given } from '../pattern.ts'
import type { Draft, Play, Row } from '../play.ts'
import { keyOf } from './conditions.ts'
import { instantAt, same, sameRows } from './found.ts'

const RANGE = ' from <time:begin> to <time:end>'
const PAST = ['changes', 'availability', 'outages']

/** What is asked of how something was: its changes, availability, outages and values. */
export const THE_PAST: readonly Word[] = [
  { says: `expect changes of <name>[${RANGE}]`, heads: 'changes', expects: true, run: expectChanges },
  {
    says: '<time> <state:from> to <state:to>[ by <word:reason>][ because of <name:cause>][ noticed at <time:noticed>]',
    under: ['changes'],
    expects: true,
    run: (_, given, { rows }) =>
      void rows.push({
        changedAt: given.number('time'),
        from: given.text('from'),
        to: given.text('to'),
        ...column(given, 'reason', 'reason'),
        ...column(given, 'cause', 'because of'),
        ...(given.maybeNumber('noticed') !== undefined && { noticedAt: given.number('noticed') }),
      }),
  },

  {
    says: `expect availability of <name>${RANGE}`,
    heads: 'availability',
    expects: true,
    run: expectAvailability,
  },
  {
    says: '<number> %',
    under: ['availability'],
    expects: true,
    run: (_, given, draft) => add(draft, 'percent', given.number('number')),
  },
  {
    says: 'unknown',
    under: ['availability'],
    expects: true,
    run: (_, __, draft) => add(draft, 'percent', null),
  },
  {
    says: '<number> % with maintenance',
    under: ['availability'],
    expects: true,
    run: (_, given, draft) => add(draft, 'percentWithMaintenance', given.number('number')),
  },
  ...(
    [
      ['down', 'downSeconds'],
      ['in maintenance', 'maintenanceSeconds'],
      ['not known', 'excludedSeconds'],
      ['measured', 'measuredSeconds'],
    ] as const
  ).map(([words, field]): Word => ({
    says: `${words} <duration>`,
    under: ['availability'],
    expects: true,
    run: (_, given, draft) => add(draft, field, given.number('duration') / 1000),
  })),

  { says: `expect outages of <name>[${RANGE}]`, heads: 'outages', expects: true, run: expectOutages },
  {
    says: '<time:begin> to <time:end> <level>[ costing <number:amount> <word:currency>][ at risk <number:risk>][ because of <name:cause>]',
    under: ['outages'],
    expects: true,
    run: (_, given, { rows }) => void rows.push(outageRow(given)),
  },
  {
    says: '<time:begin> until now <level>[ costing <number:amount> <word:currency>][ at risk <number:risk>][ because of <name:cause>]',
    under: ['outages'],
    expects: true,
    run: (_, given, { rows }) => void rows.push(outageRow(given)),
  },
  {
    says: 'of <duration> at least',
    under: ['outages'],
    run: (_, given, draft) => asked(draft, 'minDuration', durationText(given.number('duration'))),
  },
  {
    says: 'joined within <duration>',
    under: ['outages'],
    run: (_, given, draft) => asked(draft, 'mergeGap', durationText(given.number('duration'))),
  },
  { says: 'split by state', under: ['outages'], run: (_, __, draft) => asked(draft, 'split', 'true') },
  {
    says: 'sorted by <word>',
    under: ['outages'],
    run: (_, given, draft) => asked(draft, 'sort', given.text('word')),
  },

  {
    says: 'counting <levels>',
    under: ['availability', 'outages'],
    run: (_, given, draft) => asked(draft, 'states', given.text('levels')),
  },
  { says: 'corrected', under: PAST, run: (_, __, draft) => asked(draft, 'recalc', 'true') },
  {
    says: 'none',
    under: ['changes', 'outages', 'values', 'revaluations', 'periods', 'dependencies'],
    expects: true,
    run: () => undefined,
  },

  {
    says: `expect values of <name> called <name:value>[${RANGE}]`,
    heads: 'values',
    expects: true,
    run: expectValues,
  },
  {
    says: '<time> <number>',
    under: ['values', 'sums'],
    expects: true,
    run: (_, given, { rows }) =>
      void rows.push({ measuredAt: given.number('time'), value: given.number('number') }),
  },
  {
    says: '<time> <name:text>',
    under: ['values'],
    expects: true,
    run: (_, given, { rows }) =>
      void rows.push({ measuredAt: given.number('time'), value: given.text('text') }),
  },
  {
    says: '<time> nothing',
    under: ['sums'],
    expects: true,
    run: (_, given, { rows }) => void rows.push({ measuredAt: given.number('time'), value: null }),
  },
  {
    says: `expect <word:mode> of <name> called <name:value> by <anything:scale>${RANGE}`,
    heads: 'sums',
    expects: true,
    run: expectSums,
  },
]

function column(given: Given, name: string, title: string): Row {
  const text = given.maybeText(name)
  return text === undefined ? {} : { [title]: text }
}

function add({ rows }: Draft, field: string, value: number | null): void {
  rows.push({ field, value })
}

function asked({ query }: Draft, name: string, value: string): void {
  query[name] = value
}

type Range = { readonly begin: string; readonly end: string }

/** What was asked for, or everything since the object was made up to and with now. */
function rangeOf(play: Play, given: Given): Range {
  const begin = given.maybeNumber('begin') ?? play.thing(given.text('name')).madeAt
  const end = given.maybeNumber('end') ?? Math.max(play.stage.now, begin) + 1
  return { begin: new Date(begin).toISOString(), end: new Date(end).toISOString() }
}

function readPast(play: Play, given: Given, { query }: Draft, what: string) {
  const { type, id } = play.thing(given.text('name'))
  const { begin, end } = rangeOf(play, given)
  const range = what === 'outages' ? { begin, end } : { timestamp_begin: begin, timestamp_end: end }
  return play.ask<unknown>(
    'GET',
    `/${type}s/${id}/${what}?${String(new URLSearchParams({ ...query, ...range }))}`,
  )
}

type Change = {
  readonly timestamp: string
  readonly from: string
  readonly to: string
  readonly reason: string
  readonly detectedAt: string
  readonly cause: { readonly id: number } | null
}

/** All changes since the moment in which the object was made, without what happened in it. */
async function expectChanges(play: Play, given: Given, draft: Draft): Promise<void> {
  const { madeAt } = play.thing(given.text('name'))
  const { transitions } = (await readPast(play, given, draft, 'state-history')) as { transitions: Change[] }
  const found = transitions.map(({ timestamp, from, to, reason, detectedAt, cause }): Row => ({
    changedAt: Date.parse(timestamp),
    from,
    to,
    reason,
    'because of': cause === null ? null : play.nameOf(cause.id),
    noticedAt: Date.parse(detectedAt),
  }))
  sameRows(
    draft.rows,
    found.filter(({ changedAt }) => Number(changedAt) > madeAt),
  )
}

async function expectAvailability(play: Play, given: Given, draft: Draft): Promise<void> {
  const { availability } = (await readPast(play, given, draft, 'state-history')) as {
    availability: Record<string, number | null>
  }
  if (draft.rows.length === 0) throw new RangeError('write below what it is to be')
  for (const { field, value } of draft.rows) {
    same(`${field} ${value}`, `${field} ${availability[String(field)] ?? null}`)
  }
}

function outageRow(given: Given): Row {
  const risk = given.maybeNumber('risk')
  const amount = given.maybeNumber('amount')
  return {
    beganAt: given.number('begin'),
    endedAt: given.maybeNumber('end') ?? null,
    state: given.text('level'),
    ...(amount !== undefined && { amount, currency: given.text('currency') }),
    ...(risk !== undefined && { risk }),
    ...column(given, 'cause', 'because of'),
  }
}

type Outage = {
  readonly begin: string
  readonly end: string | null
  readonly state: string
  readonly reasons: readonly { readonly id: number }[]
  readonly cost: { readonly amount: number; readonly currency: string; readonly risk: number } | null
}

async function expectOutages(play: Play, given: Given, draft: Draft): Promise<void> {
  const outages = (await readPast(play, given, draft, 'outages')) as readonly Outage[]
  const found = outages.map(({ begin, end, state, reasons, cost }): Row => ({
    beganAt: Date.parse(begin),
    endedAt: instantAt(end),
    state,
    'because of': reasons.map(({ id }) => play.nameOf(id)).join(', '),
    ...cost,
  }))
  sameRows(draft.rows, found)
}

type Series = {
  readonly values: readonly { readonly timestamp: string; readonly value: number | string | null }[]
}

async function readSeries(play: Play, given: Given, query: Record<string, string>): Promise<Row[]> {
  const job = play.thing(given.text('name'))
  const { begin, end } = rangeOf(play, given)
  const asking = new URLSearchParams({
    ...query,
    key: keyOf(given.text('value'), job),
    timestamp_begin: begin,
    timestamp_end: end,
  })
  const { values } = await play.ask<Series>('GET', `/jobs/${job.id}/value-history?${String(asking)}`)
  return values.map(({ timestamp, value }) => ({ measuredAt: Date.parse(timestamp), value }))
}

async function expectValues(play: Play, given: Given, { rows }: Draft): Promise<void> {
  sameRows(rows, await readSeries(play, given, { scale: 'PT0S' }))
}

const SCALES: Readonly<Record<string, string>> = { day: 'P1D', month: 'P1M', hour: 'PT1H' }

async function expectSums(play: Play, given: Given, { rows }: Draft): Promise<void> {
  const scale = SCALES[given.text('scale')]
  if (scale === undefined) throw new RangeError('values are summed up by hour, day or month')
  sameRows(rows, await readSeries(play, given, { scale, mode: given.text('mode') }))
}
