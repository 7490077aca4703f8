import { STATES } from '../../../src/domain/state.ts'
import { CommandFailure, EXIT } from '../../server/failures.ts'
import { idOf, serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { outcome, table } from './printing.ts'

type JobRow = {
  readonly id: number
  readonly state: string
  readonly deviceName?: string
  readonly name: string
}
type Job = {
  readonly id: number
  readonly name: string
  readonly deviceName: string
  readonly currentState: string
  readonly stateSince: string | null
  readonly errorCode: number
  readonly message: string | null
  readonly lastReceivedAt: string | null
  readonly nextTimeoutAt: string | null
  readonly stopped: boolean
}
type Changed = {
  readonly items: readonly {
    readonly id: number
    readonly status: string
    readonly detail: string | null
  }[]
}

const IDS_MAX = 500

/** `tidemark job`: lists, shows, creates, stops, starts and deletes webhook jobs. */
export const jobCommand: Command = {
  name: 'job',
  about:
    'Lists, shows, creates, stops, starts and deletes webhook jobs. Durations are ISO 8601: PT5M, P1DT1H. `list` has\n' +
    '  the jobs in the states --state, which may be repeated. `create` needs the id of a --device; each --value names a value.',
  actions: {
    list: serviceAction({
      words: '',
      count: [0, 0],
      options: { state: { value: 'state', isRepeated: true } },
      run: list,
    }),
    show: serviceAction({ words: '<job>', count: [1, 1], options: {}, run: show }),
    create: serviceAction({
      words: '<name>',
      count: [1, 1],
      options: {
        device: { value: 'id' },
        timeout: { value: 'duration' },
        grace: { value: 'duration' },
        interval: { value: 'duration' },
        value: { value: 'name', isRepeated: true },
      },
      run: create,
    }),
    stop: serviceAction({ words: '<job>…', count: [1, IDS_MAX], options: {}, run: change('stop') }),
    start: serviceAction({ words: '<job>…', count: [1, IDS_MAX], options: {}, run: change('start') }),
    delete: serviceAction({ words: '<job>', count: [1, 1], options: {}, run: remove }),
  },
}

async function list(invocation: Invocation): Promise<Outcome> {
  const states = invocation.texts('state')
  const unknown = states.find((state) => !STATES.some((one) => one === state))
  if (unknown !== undefined)
    throw new CommandFailure(EXIT.usage, `"${unknown}" is not a state of a job: ${STATES.join(', ')}.`)
  const { items } = await invocation.client().read<{ readonly items: readonly JobRow[] }>('/jobs')
  const shown = states.length === 0 ? items : items.filter(({ state }) => states.includes(state))
  return outcome(invocation, { items: shown }, () =>
    table(
      ['ID', 'STATE', 'DEVICE', 'NAME'],
      shown.map(({ id, state, deviceName, name }) => [id, state, deviceName, name]),
      'There are no such jobs.',
    ),
  )
}

async function show(invocation: Invocation): Promise<Outcome> {
  const id = idOf(invocation.words[0], 'job')
  return outcome(invocation, await invocation.client().read<Job>(`/jobs/${id}`), jobLines)
}

function jobLines(job: Job): string {
  return table(
    ['JOB', String(job.id)],
    [
      ['name', job.name],
      ['device', job.deviceName],
      ['state', job.stopped ? 'stopped' : job.currentState],
      ['since', job.stateSince],
      ['error code', job.errorCode],
      ['message', job.message],
      ['last delivery', job.lastReceivedAt],
      ['times out', job.nextTimeoutAt],
    ],
    '',
  )
}

async function create(invocation: Invocation): Promise<Outcome> {
  const device = idOf(invocation.text('device'), 'device')
  const body = {
    name: invocation.words[0],
    interval: invocation.text('interval'),
    parameters: {
      timeout: invocation.text('timeout'),
      grace: invocation.text('grace'),
      returnValue: invocation.texts('value').map((valueName) => ({ valueName })),
    },
  }
  const path = `/jobs?parentId=${device}`
  const job = await invocation.client().json<Job>('POST', path, JSON.stringify(body))
  return outcome(
    invocation,
    job,
    ({ id, name }) => `Job ${id} "${name}" is created. Deliver to it with: tidemark deliver ${id}\n`,
  )
}

function change(action: 'stop' | 'start') {
  return async (invocation: Invocation): Promise<Outcome> => {
    const ids = invocation.words.map((word) => idOf(word, 'job'))
    const body = JSON.stringify({ action, ids })
    const answer = await invocation.client().json<Changed>('POST', '/jobs/actions', body)
    const text = outcome(invocation, answer, changeLines(action))
    return { ...text, exitCode: answer.items.every(({ status }) => status === 'done') ? 0 : 1 }
  }
}

function changeLines(action: 'stop' | 'start') {
  const done = action === 'stop' ? 'is stopped' : 'is started'
  return ({ items }: Changed) =>
    items
      .map(
        ({ id, status, detail }) =>
          `Job ${id} ${status === 'done' ? done : `is unchanged: ${detail ?? status}`}.\n`,
      )
      .join('')
}

async function remove(invocation: Invocation): Promise<Outcome> {
  const id = idOf(invocation.words[0], 'job')
  await invocation.client().ask('DELETE', `/jobs/${id}`)
  return outcome(invocation, { id }, () => `Job ${id} is deleted with its history.\n`)
}
