import { Database } from 'bun:sqlite'

import type { Got } from '../notifications/receiver.ts'

/** How alarms and what was told of them differ from the states that call for them. Everything but the counts is a broken
 * promise. */
export type AlarmVerdict = {
  readonly transitions: number
  readonly alarms: number
  /** Messages that arrived, each however often. */
  readonly messages: number
  /** How often one arrived that had arrived before, under the same key and with the same words. */
  readonly repeats: number
  /** Changes of state that the values call for and that are not there, or the other way round. */
  readonly misjudged: number
  /** Alarms, and changes of them, that transitions call for and that are not there. */
  readonly unalarmed: number
  /** Alarms, and changes of them, that no transition calls for. */
  readonly unfounded: number
  /** Changes of alarms that the receiver was to be told of and took no message of. */
  readonly untold: number
  /** Told under more than one key, or of what is not there. */
  readonly invented: number
  /** Another message under a key that had arrived. */
  readonly altered: number
  /** The first differences, for the reader of a failure. */
  readonly examples: readonly string[]
}

/** A verdict of promises kept. */
export const ALL_TOLD = {
  misjudged: 0,
  unalarmed: 0,
  unfounded: 0,
  untold: 0,
  invented: 0,
  altered: 0,
} as const

/** From the worst down, with the value above which each begins. */
const LIMITS = [
  ['major', 30],
  ['minor', 20],
  ['warning', 10],
] as const

/** Values of which two that differ make different states. */
export const VALUES = [0, 15, 25, 35] as const

export const THRESHOLDS = Object.fromEntries(
  LIMITS.map(([level, value]) => [
    level,
    { mode: 'or', conditions: [{ key: 'returnValue1', operator: '>', value }] },
  ]),
)

const HOUR_MS = 3_600_000
const GONE_MAX_MS = 10_000
const EXAMPLES_MAX = 20

type Transition = {
  readonly objectId: number
  readonly seq: number
  readonly at: number
  readonly to: string
}
type Change = { readonly id: number; readonly kind: string; readonly said: string }

/** The system database of a host that does not run. */
export class AlarmRecord {
  readonly #database: Database

  constructor(file: string) {
    this.#database = new Database(file)
    // A killed process holds its files until it is gone.
    this.#database.run(`pragma busy_timeout = ${GONE_MAX_MS}`)
  }

  /** Jobs with a transition without its alarms, and changes of alarms without their notices. */
  get uncarried(): number {
    return this.#count(`(select count(*) from states s join objects o on o.id = s.object_id
        where o.type = 'job' and s.alarmed_seq < s.seq) +
      (select count(*) from alarm_changes where kind <> 'eased'
        and id > coalesce((select max(change_id) from notice_progress), 0))`)
  }

  /** Notices without a message, and messages on their way. */
  get unsent(): number {
    return this.#count(`(select count(*) from notices where notification_id is null) +
      (select count(*) from notifications where next_at is not null)`)
  }

  /** Lets an hour pass for messages that are to be tried again: a death in the middle of one costs half a minute. */
  age(): void {
    this.#database.run(`update notifications set next_at = next_at - ${HOUR_MS} where next_at is not null`)
  }

  /** A fault of a flow: transitions that were pending when the process died are dropped. */
  forget(): void {
    this.#database.run('update states set alarmed_seq = seq')
    this.#database.run(
      'update notice_progress set change_id = coalesce((select max(id) from alarm_changes), 0)',
    )
  }

  close(): void {
    this.#database.close()
  }

  /** @param values of each job, in their order
   * @param heard everything that the receiver was sent, and what it took of that */
  compare(
    values: ReadonlyMap<number, readonly number[]>,
    { sent, taken }: { readonly sent: readonly Got[]; readonly taken: readonly Got[] },
  ): AlarmVerdict {
    const transitions =
      this.#all<Transition>(`select t.object_id as objectId, t.seq as seq, t.at as at, t.to_state as "to"
      from transitions t join objects o on o.id = t.object_id where o.type = 'job' order by t.object_id, t.seq`)
    const alarms = this.#all<{ said: string }>(
      `select object_id || ' alarm ' || opened_seq as said from alarms`,
    )
    const changes = this.#all<Change>(`select alarm_id as id, kind as kind,
      object_id || ' ' || at || ' ' || kind || ' ' || state as said from alarm_changes order by alarm_id, version`)
    const jobs = Map.groupBy(transitions, ({ objectId }) => objectId)
    const judged = difference(
      transitions.map(({ objectId, seq, to }) => `${objectId} ${seq} ${to}`),
      [...values].flatMap(([jobId, all]) => statesOf(all).map((to, index) => `${jobId} ${index + 1} ${to}`)),
    )
    const alarmed = difference(
      [...alarms, ...changes].map(({ said }) => said),
      [...jobs.values()].flatMap(alarmsOf),
    )
    const told = changes.flatMap(({ id, kind }) => (TOLD.has(kind) ? [`${id} ${kind}`] : []))
    const messages = messagesIn(sent)
    const altered = [...messages].filter(([key, all]) => !isOneMessage(key, all)).length
    return {
      transitions: transitions.length,
      alarms: alarms.length,
      messages: messages.size,
      repeats: sent.length - messages.size,
      misjudged: judged.missing + judged.more,
      unalarmed: alarmed.missing,
      unfounded: alarmed.more,
      untold: difference(toldIn(taken), told).missing,
      invented: difference(toldIn(sent), told).more,
      altered,
      examples: [judged, alarmed].flatMap(({ examples }) => examples),
    }
  }

  #count(expression: string): number {
    return this.#all<{ total: number }>(`select ${expression} as total`)[0]?.total ?? 0
  }

  #all<Row>(statement: string): readonly Row[] {
    return this.#database.query<Row, []>(statement).all()
  }
}

/** The states that values bring about, one after the other. */
function statesOf(values: readonly number[]): readonly string[] {
  const states = values.map((value) => LIMITS.find(([, above]) => value > above)?.[0] ?? 'ok')
  return states.filter((state, index) => state !== (states[index - 1] ?? 'ok'))
}

/** The states that a link with default settings reports. */
const TOLD: ReadonlySet<string> = new Set(['opened', 'worsened', 'closed'])

/** The alarms that the transitions of one job call for, and what happens to them. */
function alarmsOf(transitions: readonly Transition[]): readonly string[] {
  let open: string | null = null
  return transitions.flatMap(({ objectId, seq, at, to }) => {
    const was = open
    open = to === 'ok' ? null : to
    const said = (kind: string) => `${objectId} ${at} ${kind} ${to === 'ok' ? was : to}`
    if (was === null) return to === 'ok' ? [] : [`${objectId} alarm ${seq}`, said('opened')]
    if (to === 'ok') return [said('closed')]
    return [said(rank(to) < rank(was) ? 'worsened' : 'eased')]
  })
}

function rank(state: string): number {
  return LIMITS.findIndex(([level]) => level === state)
}

/** The messages that arrived, by key. */
function messagesIn(got: readonly Got[]): ReadonlyMap<string, readonly Got[]> {
  return Map.groupBy(got, ({ headers }) => headers.get('webhook-id') ?? '')
}

/** The messages of a receiver that counts each key once. */
function toldIn(got: readonly Got[]): readonly string[] {
  return [...messagesIn(got).values()].flatMap(([first]) => {
    if (!first) return []
    const { alarms } = first.json['data'] as { alarms: readonly { alarmId: number; event: string }[] }
    return alarms.map(({ alarmId, event }) => `${alarmId} ${event}`)
  })
}

/** Whether everything that came under a key is one message, which also idempotent receivers know by it. */
function isOneMessage(key: string, all: readonly Got[]): boolean {
  return all.every(
    ({ headers, text }) => headers.get('idempotency-key') === key && text === all[0]?.text && key !== '',
  )
}

/** How much of what is wanted is not there, and how much else is; of equal ones each counts. */
function difference(
  found: readonly string[],
  wanted: readonly string[],
): { readonly missing: number; readonly more: number; readonly examples: readonly string[] } {
  const left = new Map<string, number>()
  for (const each of wanted) left.set(each, (left.get(each) ?? 0) + 1)
  for (const each of found) left.set(each, (left.get(each) ?? 0) - 1)
  let [missing, more] = [0, 0]
  for (const count of left.values()) {
    missing += Math.max(0, count)
    more += Math.max(0, -count)
  }
  const examples = [...left].flatMap(([each, count]) =>
    count === 0 ? [] : [`${count > 0 ? 'missing' : 'more'}: ${each}`],
  )
  return { missing, more, examples: examples.slice(0, EXAMPLES_MAX) }
}
