import { CommandFailure, EXIT } from '../../server/failures.ts'
import { idOf, serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { outcome } from './printing.ts'

/** The part of the response to a delivery that is printed. */
export type Delivered = { readonly state: string; readonly nextTimeoutAt: string | null }

const VALUES_MAX = 500
const NUMBERS = /^returnValue\d+$/

/** `tidemark deliver`: delivers values to a webhook job. */
export const deliverCommand: Command = {
  name: 'deliver',
  about:
    'Delivers values to a webhook job: tidemark deliver 42 returnValue1=21.5 stringValue1=idle. Without values it\n' +
    '  delivers error code 0, which shows that the sender is alive.',
  actions: {
    '': serviceAction({
      words: '<job> [<key>=<value>…]',
      count: [1, VALUES_MAX],
      options: {
        'error-code': { value: 'number' },
        message: { value: 'text' },
        timestamp: { value: 'instant' },
        run: { value: 'id' },
        signal: { value: 'start|result|log' },
      },
      run: deliver,
    }),
  },
}

async function deliver(invocation: Invocation): Promise<Outcome> {
  const [job, ...pairs] = invocation.words
  const id = idOf(job, 'job')
  const values = Object.fromEntries(pairs.map(valueOf))
  const body = {
    errorCode: errorCodeOf(invocation.text('error-code')) ?? (pairs.length === 0 ? 0 : undefined),
    ...values,
    message: invocation.text('message'),
    timestamp: invocation.text('timestamp'),
    runId: invocation.text('run'),
    signal: invocation.text('signal'),
  }
  const path = `/webcollector/jobs/${id}/values`
  const answer = await invocation.client().json<Delivered>('POST', path, JSON.stringify(body))
  return outcome(invocation, answer, ({ state, nextTimeoutAt }) =>
    nextTimeoutAt === null
      ? `Job ${id} is ${state}.\n`
      : `Job ${id} is ${state}. It times out at ${nextTimeoutAt} unless it gets another delivery.\n`,
  )
}

function valueOf(pair: string): readonly [string, number | string] {
  const at = pair.indexOf('=')
  if (at < 1)
    throw new CommandFailure(EXIT.usage, `"${pair}" is not <key>=<value>, such as returnValue1=21.5.`)
  const [key, value] = [pair.slice(0, at), pair.slice(at + 1)]
  if (!NUMBERS.test(key)) return [key, value]
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number))
    throw new CommandFailure(EXIT.usage, `${key} must be a number; "${value}" is not a number.`)
  return [key, number]
}

function errorCodeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const code = Number(text)
  if (Number.isSafeInteger(code) && code >= 0) return code
  throw new CommandFailure(EXIT.usage, `--error-code must be a whole number from 0; "${text}" is not.`)
}
