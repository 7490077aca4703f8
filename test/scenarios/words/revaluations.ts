import { durationText } from '../../../src/lib/duration.ts'
import type { Body } from '../../api/client.ts'
import { good } from '../../api/suite.ts'
import type { Word } from '../parser.ts'
import type { Given } from '../pattern.ts'
import type { Draft, Play, Row } from '../play.ts'
import { instantAt, same, sameRows } from './found.ts'

const RANGE = 'from <time:begin> to <time:end>'
const MAINTENANCE = `maintenance <name:called> of <name> ${RANGE}`
const ADJUSTMENT = `adjustment <name:called> of <name> to <state> ${RANGE}`

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** When something begins: the type of an entry, and what its time has beside begin and duration. */
const RHYTHMS: readonly (readonly [says: string, type: string, day: (given: Given) => Body])[] = [
  ['daily', 'daily', () => ({})],
  ['on <date>', 'one_time', (given) => ({ date: given.text('date') })],
  ['every <word:weekday>', 'weekly', (given) => ({ weekday: weekdayOf(given.text('weekday')) })],
  ['monthly on day <number:day>', 'monthly', (given) => ({ day: given.number('day') })],
]

/** Maintenance and corrections of the past, and what is said of them. */
export const REVALUATIONS: readonly Word[] = [
  {
    says: MAINTENANCE,
    heads: 'revaluation',
    run: (play, given, { body }) => enter(play, given, { ...body, type: 'maintenance' }),
  },
  {
    says: ADJUSTMENT,
    run: (play, given) => enter(play, given, { type: 'adjustment', adjustTo: given.text('state') }),
  },
  ...RHYTHMS.flatMap(([says, type, day]) =>
    [false, true].map((exception): Word => ({
      says: `${exception ? 'but not ' : ''}${says} at <clock> for <duration>[ in <name:zone>]`,
      under: ['revaluation'],
      run: (_, given, draft) => addEntry(draft, { type, exception, ...timeOf(given, day(given)) }),
    })),
  ),
  {
    says: 'counting for containers',
    under: ['revaluation'],
    run: (_, __, { body }) => void (body['slaRelevant'] = true),
  },
  {
    says: 'take back <name>',
    run: async (play, given) => void (await play.ask('DELETE', placeOf(play, given.text('name')))),
  },
  {
    says: `expect refusal <word:refusal> of {the|that} ${ADJUSTMENT}`,
    expects: true,
    async run(play, given) {
      const json = { ...rangeOf(given), type: 'adjustment', adjustTo: given.text('state') }
      const { status, body } = await play.stage.request('POST', pathOf(play, given), { json })
      same(given.text('refusal'), status < 300 ? 'taken' : body['code'])
    },
  },
  {
    says: 'expect refusal <word:refusal> of taking back <name>',
    expects: true,
    async run(play, given) {
      const { status, body } = await play.stage.request('DELETE', placeOf(play, given.text('name')))
      same(given.text('refusal'), status < 300 ? 'taken' : body['code'])
    },
  },
  {
    says: 'expect revaluations of <name>[ since <time>]',
    heads: 'revaluations',
    expects: true,
    run: expectRevaluations,
  },
  {
    says: '<name:called> <word:status>[ next at <time:next>]',
    under: ['revaluations'],
    expects: true,
    run: (_, given, { rows }) =>
      void rows.push({
        name: given.text('called'),
        status: given.text('status'),
        ...(given.maybeNumber('next') !== undefined && { nextAt: given.number('next') }),
      }),
  },
  { says: 'for editing', under: ['revaluations'], run: (_, __, { query }) => void (query['edit'] = 'true') },
]

function weekdayOf(name: string): number {
  const place = WEEKDAYS.indexOf(name)
  if (place === -1) throw new RangeError(`${name} is no day of the week`)
  return place + 1
}

function timeOf(given: Given, day: Body): Body {
  const zone = given.maybeText('zone')
  const times = [{ begin: given.text('clock'), duration: durationText(given.number('duration')), ...day }]
  return { times, ...(zone !== undefined && { timezone: zone }) }
}

function addEntry({ body }: Draft, entry: Body): void {
  body['active'] = [...((body['active'] ?? []) as Body[]), entry]
}

function rangeOf(given: Given): Body {
  const instant = (name: string) => new Date(given.number(name)).toISOString()
  return { begin: instant('begin'), end: instant('end') }
}

function pathOf(play: Play, given: Given): string {
  const { type, id } = play.thing(given.text('name'))
  return `/${type}s/${id}/revaluations`
}

function placeOf(play: Play, name: string): string {
  const place = play.revaluations.get(name)
  if (place === undefined) throw new RangeError(`no revaluation is called "${name}"`)
  return place
}

async function enter(play: Play, given: Given, body: Body): Promise<void> {
  const name = given.text('called')
  const path = pathOf(play, given)
  const made = await play.ask('POST', path, { ...body, ...rangeOf(given), name })
  play.revaluations.set(name, `${path}/${String(made['id'])}`)
}

type Listed = { readonly name: string; readonly status: string; readonly nextBegin: string | null }

async function expectRevaluations(play: Play, given: Given, { rows, query }: Draft): Promise<void> {
  const since = given.maybeNumber('time')
  const asked = { ...query, ...(since !== undefined && { begin: new Date(since).toISOString() }) }
  const path = `${pathOf(play, given)}?${String(new URLSearchParams(asked))}`
  const listed = await good<readonly Listed[]>(play.stage.request('GET', path))
  const found = listed.map(({ name, status, nextBegin }): Row => ({
    name,
    status,
    nextAt: instantAt(nextBegin),
  }))
  sameRows(rows, found)
}
