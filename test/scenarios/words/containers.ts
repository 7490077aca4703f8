import type { Word } from '../parser.ts'
import type { Given } from '../pattern.ts'
import type { Draft, Play } from '../play.ts'
import { same, sameRows } from './found.ts'

type Values = { readonly creditTotal: number; readonly creditUsed: number; readonly creditLeft: number }

/** Service level containers: how much may be bad in a period, and how much was. */
export const CONTAINERS: readonly Word[] = [
  {
    says: 'container <name>',
    heads: 'slc',
    async run(play, given, { body, children }) {
      const { id } = await play.make('slc', given.text('name'), { body })
      await play.ask('PUT', `/slc/${id}/children`, { items: children })
    },
  },
  {
    says: 'well for <number> % of each <word:period>',
    under: ['slc'],
    run: (_, given, { body }) =>
      void Object.assign(body, { limit: given.number('number'), duration: given.text('period') }),
  },
  {
    says: 'calculate periods of <name> from <time:begin> to <time:end> anew',
    async run(play, given) {
      const instant = (name: string) => new Date(given.number(name)).toISOString()
      const body = { begin: instant('begin'), end: instant('end'), reason: 'told in a story' }
      await play.ask('POST', `/slcs/${play.thing(given.text('name')).id}/periods/recalculate`, body)
    },
  },
  { says: 'expect credit of <name>', heads: 'credit', expects: true, run: expectCredit },
  ...(['total', 'used', 'left'] as const).map((which): Word => ({
    says: `${which} <duration>`,
    under: ['credit'],
    expects: true,
    run: (_, given, { rows }) => void rows.push({ which, value: given.number('duration') / 1000 }),
  })),
  { says: 'expect periods of <name>', heads: 'periods', expects: true, run: expectPeriods },
  {
    says: '<time:begin> to <time:end> <state> used <duration>[ in revision <number:revision>]',
    under: ['periods'],
    expects: true,
    run: (_, given, { rows }) =>
      void rows.push({
        beganAt: given.number('begin'),
        endedAt: given.number('end'),
        state: given.text('state'),
        used: given.number('duration') / 1000,
        revision: given.maybeNumber('revision') ?? 1,
      }),
  },
]

async function expectCredit(play: Play, given: Given, { rows }: Draft): Promise<void> {
  const { creditTotal, creditUsed, creditLeft } = (await play.read(given.text('name')))['values'] as Values
  const found = { total: creditTotal, used: creditUsed, left: creditLeft }
  for (const { which, value } of rows) {
    same(`${which} ${value}`, `${which} ${found[which as keyof typeof found]}`)
  }
}

type Period = {
  readonly period: { readonly begin: string; readonly end: string }
  readonly revisions: readonly {
    readonly revision: number
    readonly state: string
    readonly creditUsed: number
  }[]
}

/** Every revision of every period, the latest period first. */
async function expectPeriods(play: Play, given: Given, { rows }: Draft): Promise<void> {
  const path = `/slcs/${play.thing(given.text('name')).id}/periods`
  const { items } = await play.ask<{ items: readonly Period[] }>('GET', path)
  const found = items.flatMap(({ period, revisions }) =>
    revisions.map(({ revision, state, creditUsed }) => ({
      beganAt: Date.parse(period.begin),
      endedAt: Date.parse(period.end),
      state,
      used: creditUsed,
      revision,
    })),
  )
  sameRows(rows, found)
}
