import { durationText } from '../../../src/lib/duration.ts'
import type { Body } from '../../api/client.ts'
import type { Word } from '../parser.ts'
import type { Draft, Play, Thing } from '../play.ts'
import { conditionsOf } from './conditions.ts'

const JOB = ['job', 'change']
const SLO = ['slo', 'change']

/** Objects, how they are set up, and how that changes. */
export const OBJECTS: readonly Word[] = [
  {
    says: 'group <name>[ in <name:parent>]',
    run: async (play, given) =>
      void (await play.make('group', given.text('name'), below(given.maybeText('parent')))),
  },
  {
    says: 'device <name>[ in <name:parent>]',
    run: async (play, given) =>
      void (await play.make('device', given.text('name'), below(given.maybeText('parent')))),
  },
  {
    says: 'job <name>[ on <name:parent>]',
    heads: 'job',
    async run(play, given, { body }) {
      const parent = below(given.maybeText('parent'))
      const job = await play.make('job', given.text('name'), { ...parent, body: jobBody(body) })
      rememberValues(job, body)
    },
  },
  {
    says: 'slo <name>[ in <name:parent>]',
    heads: 'slo',
    async run(play, given, { body, children }) {
      const parent = below(given.maybeText('parent'))
      const slo = await play.make('slo', given.text('name'), { ...parent, body })
      if (children.length > 0) await play.ask('PUT', `/slo/${slo.id}/children`, { items: children })
    },
  },
  { says: 'change <name>', heads: 'change', run: change },
  {
    says: 'delete <name>',
    async run(play, given) {
      const { type, id } = play.thing(given.text('name'))
      await play.ask('DELETE', `/${type}s/${id}`)
      play.forget(given.text('name'))
    },
  },
  {
    says: 'move <name> to <name:parent>',
    async run(play, given) {
      const { type, id } = play.thing(given.text('name'))
      const now = await play.read(given.text('name'))
      await play.ask('PUT', `/${type}s/${id}`, { ...now, parentId: play.thing(given.text('parent')).id })
    },
  },

  {
    says: 'timeout <duration>',
    under: JOB,
    run: (_, given, draft) => parameter(draft, 'timeout', durationText(given.number('duration'))),
  },
  { says: 'no timeout', under: JOB, run: (_, __, draft) => parameter(draft, 'timeout', null) },
  {
    says: 'grace <duration>',
    under: JOB,
    run: (_, given, draft) => parameter(draft, 'grace', durationText(given.number('duration'))),
  },
  { says: 'heals on data', under: JOB, run: (_, __, draft) => parameter(draft, 'healsOnData', true) },
  {
    says: 'interval <duration>',
    under: JOB,
    run: (_, given, { body }) => void (body['interval'] = durationText(given.number('duration'))),
  },
  {
    says: 'value <name>[ divided by <number>]',
    under: JOB,
    run: (_, given, draft) =>
      parameter(draft, 'returnValue', [
        ...values(draft, 'returnValue'),
        { valueName: given.text('name'), valueDivisor: given.maybeNumber('number') ?? 1 },
      ]),
  },
  {
    says: 'text <name>',
    under: JOB,
    run: (_, given, draft) =>
      parameter(draft, 'stringValue', [...values(draft, 'stringValue'), { valueName: given.text('name') }]),
  },
  {
    says: '<level> when <anything:conditions>',
    under: JOB,
    run: (_, given, { body }) =>
      void (body['limits'] = {
        ...(body['limits'] as Body),
        [given.text('level')]: given.text('conditions'),
      }),
  },
  { says: 'no limits', under: JOB, run: (_, __, { body }) => void (body['limits'] = {}) },
  {
    says: 'flaps above <number:start> % until below <number:end> %',
    under: JOB,
    run: (_, given, { body }) =>
      void (body['flapping'] = { startPercent: given.number('start'), endPercent: given.number('end') }),
  },
  { says: 'stopped', under: JOB, run: (_, __, { body }) => void (body['stopped'] = true) },
  { says: 'started', under: JOB, run: (_, __, { body }) => void (body['stopped'] = false) },
  {
    says: 'forced to <state>',
    under: JOB,
    run: (_, given, { body }) =>
      void Object.assign(body, { stateForced: true, currentState: given.text('state') }),
  },
  { says: 'not forced', under: JOB, run: (_, __, { body }) => void (body['stateForced'] = false) },

  {
    says: 'combined by <word>',
    under: SLO,
    run: (_, given, { body }) => void (body['stateOperation'] = given.text('word')),
  },
  {
    says: '<level> if <number> {is|are} <level:badness>[ or worse]',
    under: SLO,
    run: (_, given, { body }) =>
      void (body[counterOf(given.text('badness'), given.text('level'))] = given.number('number')),
  },
  {
    says: 'made of <name>[ counting as <number>][ taking <state:from> for <state:to>]',
    under: [...SLO, 'slc'],
    run(play, given, { children }) {
      const { type, id } = play.thing(given.text('name'))
      const from = given.maybeText('from')
      const stateOverrides = from === undefined ? {} : { [from]: given.text('to') }
      children.push({ type, id, weight: given.maybeNumber('number') ?? 1, stateOverrides })
    },
  },
  {
    says: 'made of every <word:type> called like <name:part> below <name:group>',
    under: SLO,
    run(play, given, { body }) {
      const conditions = [{ item: 'name', operator: 'contains', expression: given.text('part') }]
      const filterDefinition = { type: given.text('type'), conditions }
      body['childrenFilter'] = { groupId: play.thing(given.text('group')).id, filterDefinition }
    },
  },
  {
    says: 'shows its parents <word>',
    under: SLO,
    run: (_, given, { body }) => void (body['pushState'] = given.text('word')),
  },
  {
    says: 'ignores maintenance',
    under: SLO,
    run: (_, __, { body }) => void (body['ignoreMaintenance'] = true),
  },
  {
    says: 'children sorted by <word>',
    under: SLO,
    run: (_, given, { body }) => void (body['sortMode'] = given.text('word')),
  },
  {
    says: 'costs <number> <word:currency> a minute',
    under: SLO,
    run: (_, given, draft) => {
      parameter(draft, 'costsPerMin', given.number('number'))
      parameter(draft, 'currency', given.text('currency'))
    },
  },
  {
    says: 'risk factor <number>',
    under: SLO,
    run: (_, given, draft) => parameter(draft, 'riskFactor', given.number('number')),
  },
]

function below(parent: string | undefined): { parent?: string } {
  return parent === undefined ? {} : { parent }
}

function parameter({ body }: Draft, name: string, value: unknown): void {
  body['parameters'] = { ...(body['parameters'] as Body), [name]: value }
}

function values({ body }: Draft, name: 'returnValue' | 'stringValue'): readonly Body[] {
  return ((body['parameters'] as Body | undefined)?.[name] ?? []) as Body[]
}

/** The counter that says so many children at least this bad make such a result: `minorWarning`. */
function counterOf(badness: string, result: string): string {
  return badness === 'major' ? result : `${badness}${result.charAt(0).toUpperCase()}${result.slice(1)}`
}

/** A job's body on the wire: limits name values as the story does, and keys on the wire. */
function jobBody({ limits, ...body }: Body, known: Pick<Thing, 'numbers' | 'texts'> = NOTHING): Body {
  if (limits === undefined) return body
  const names = { ...known, ...valuesOf(body) }
  const levels = Object.entries(limits as Record<string, string>)
  return {
    ...body,
    thresholds: Object.fromEntries(levels.map(([level, text]) => [level, conditionsOf(text, names)])),
  }
}

const NOTHING = { numbers: [], texts: [] }

function valuesOf(body: Body): { numbers?: string[]; texts?: string[] } {
  const parameters = (body['parameters'] ?? {}) as Record<string, { valueName: string }[] | undefined>
  const namesOf = (list: { valueName: string }[]) => list.map(({ valueName }) => valueName)
  const { returnValue, stringValue } = parameters
  return {
    ...(returnValue && { numbers: namesOf(returnValue) }),
    ...(stringValue && { texts: namesOf(stringValue) }),
  }
}

function rememberValues(job: Thing, body: Body): void {
  Object.assign(job, valuesOf(body))
}

/** What is not written stays as it is. */
async function change(play: Play, given: { text(name: string): string }, draft: Draft): Promise<void> {
  const thing = play.thing(given.text('name'))
  if (Object.keys(draft.body).length > 0) {
    const now = await play.read(given.text('name'))
    const body = thing.type === 'job' ? jobBody(draft.body, thing) : draft.body
    const parameters = { ...(now['parameters'] as Body), ...(body['parameters'] as Body) }
    await play.ask('PUT', `/${thing.type}s/${thing.id}`, { ...now, ...body, parameters })
    rememberValues(thing, draft.body)
  }
  if (draft.children.length > 0) await play.ask('PUT', `/slo/${thing.id}/children`, { items: draft.children })
}
