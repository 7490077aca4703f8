import { idOf, serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { outcome, table } from './printing.ts'

type Alarm = {
  readonly id: number
  readonly status: string
  readonly state: string
  readonly begin: string
  readonly end: string | null
  readonly message: string | null
  readonly object: { readonly name: string; readonly path: string }
  readonly assignee: { readonly name: string } | null
}
type Page = { readonly items: readonly Alarm[]; readonly total: number }
type Done = {
  readonly items: readonly { readonly id: number; readonly status: string; readonly detail: string | null }[]
}

const IDS_MAX = 500
const SHOWN_MAX = '100'
const STATES = ['open', 'assigned']

/** `tidemark alarm`: lists, shows, acknowledges and comments on alarms. */
export const alarmCommand: Command = {
  name: 'alarm',
  about:
    'Lists, shows, acknowledges and comments on alarms. Without --state it lists alarms that are open or assigned. An\n' +
    '  alarm is acknowledged by its assignment to the caller. --until is an instant such as 2026-03-02T09:30:00Z.',
  actions: {
    list: serviceAction({
      words: '',
      count: [0, 0],
      options: { state: { value: 'open|assigned|closed', isRepeated: true }, limit: { value: 'number' } },
      run: list,
    }),
    show: serviceAction({ words: '<alarm>', count: [1, 1], options: {}, run: show }),
    acknowledge: serviceAction({
      words: '<alarm>…',
      count: [1, IDS_MAX],
      options: { until: { value: 'instant' }, comment: { value: 'text' } },
      run: acknowledge,
    }),
    comment: serviceAction({ words: '<alarm> <text>', count: [2, 2], options: {}, run: comment }),
  },
}

async function list(invocation: Invocation): Promise<Outcome> {
  const states = invocation.texts('state')
  const query = new URLSearchParams({
    state: (states.length === 0 ? STATES : states).join(','),
    limit: invocation.text('limit') ?? SHOWN_MAX,
  })
  const page = await invocation.client().read<Page>(`/alarms?${query.toString()}`)
  return outcome(invocation, page, ({ items, total }) => {
    const rows = items.map((alarm) => [
      alarm.id,
      alarm.status,
      alarm.state,
      alarm.begin,
      alarm.object.path,
      alarm.assignee?.name,
      alarm.message,
    ])
    const more = total > items.length ? `${items.length} of ${total} alarms. --limit shows more.\n` : ''
    const heading = ['ID', 'STATUS', 'STATE', 'BEGIN', 'OBJECT', 'ASSIGNEE', 'MESSAGE']
    return table(heading, rows, 'There are no such alarms.') + more
  })
}

async function show(invocation: Invocation): Promise<Outcome> {
  const id = idOf(invocation.words[0], 'alarm')
  return outcome(invocation, await invocation.client().read<Alarm>(`/alarms/${id}`), (alarm) =>
    table(
      ['ALARM', String(alarm.id)],
      [
        ['object', alarm.object.path],
        ['status', alarm.status],
        ['state', alarm.state],
        ['begin', alarm.begin],
        ['end', alarm.end],
        ['assignee', alarm.assignee?.name],
        ['message', alarm.message],
      ],
      '',
    ),
  )
}

async function acknowledge(invocation: Invocation): Promise<Outcome> {
  const ids = invocation.words.map((word) => idOf(word, 'alarm'))
  const client = invocation.client()
  const { user } = await client.read<{ readonly user: { readonly id: number } }>('/session')
  const body = {
    action: 'assign',
    ids,
    userId: user.id,
    until: invocation.text('until'),
    comment: invocation.text('comment'),
  }
  const answer = await client.json<Done>('POST', '/alarms/actions', JSON.stringify(body))
  const text = outcome(invocation, answer, ({ items }) =>
    items
      .map(({ id, status, detail }) =>
        status === 'done'
          ? `Alarm ${id} is acknowledged.\n`
          : `Alarm ${id} is unchanged: ${detail ?? status}\n`,
      )
      .join(''),
  )
  return { ...text, exitCode: answer.items.every(({ status }) => status === 'done') ? 0 : 1 }
}

async function comment(invocation: Invocation): Promise<Outcome> {
  const [alarm, text = ''] = invocation.words
  const id = idOf(alarm, 'alarm')
  const answer = await invocation.client().json('POST', `/alarms/${id}/comment`, JSON.stringify({ text }))
  return outcome(invocation, answer, () => `The comment on alarm ${id} is stored.\n`)
}
