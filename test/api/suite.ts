import { expect } from 'bun:test'

import { statusOf } from '../../src/http/problem.ts'
import type { Code } from '../../src/lib/errors.ts'
import type { Answer, Client, Request } from './client.ts'

/**
 * What one room claims about its part of the interface. A file `<room>.suite.ts` exports one, `interface.ts` names it, and
 * every scenario runs once against each host, in order. Rows of refusals come first: nobody, the wrong role, the wrong
 * object, wrong input; then what succeeds.
 */
export type Suite = { readonly name: string; readonly scenarios: readonly Scenario[] }

/** One claim, and how to see whether it holds on the host that the client speaks to. */
export type Scenario = {
  readonly title: string
  readonly run: (client: Client) => Promise<void>
  /** Set where code above the ports decides, to what the scenario is an example of, such as the code of a refusal:
   * `oneOfEach` keeps the first example of each. */
  readonly decidedAbovePorts?: string | undefined
}

/** One request and its answer; the administrator asks unless `as` says otherwise. */
export type Row = Request & {
  readonly title: string
  /** Method and path, in which `{name}` stands for what the stage calls so: `PUT /jobs/{job}`. */
  readonly call: string
  /** The status, or the code of the problem document. */
  readonly answers: number | Code
  /** The pointers of all faults, in any order, each once. */
  readonly pointers?: readonly string[]
}

export type Names = Readonly<Record<string, string | number>>

/** Prepares what the rows speak of and names it, once for each client. */
export type Stage = (client: Client) => Promise<Names>

/** Rows as scenarios; `after` runs behind each of them. */
export function table(
  stage: Stage,
  rows: readonly Row[],
  after?: (client: Client, names: Names) => Promise<void>,
): Scenario[] {
  return rows.map((row) => ({
    title: `${row.title}: ${row.call.replaceAll(/=[^&{]{60,}/g, '=…')} answers ${row.answers}`,
    decidedAbovePorts: refusedAbovePorts(row),
    async run(client) {
      const names = await stage(client)
      expectAnswer(await call(client, row.call, { names, ...row }), row)
      await after?.(client, names)
    },
  }))
}

/** Codes of refusals that the same code decides on every host, given the same rows. */
const ABOVE_PORTS: ReadonlySet<number | Code> = new Set<Code>([
  'bad_request',
  'cycle',
  'forbidden',
  'invalid',
  'malformed_json',
  'method_not_allowed',
  'not_found',
  'too_large',
  'unauthenticated',
  'unsupported_media_type',
  'value_not_defined',
  'value_out_of_range',
])
const LARGE_CHARS = 64 * 1024

/** The code of a row that is refused in the same code on every host. Streams of bodies, large bodies and everything about
 * credentials are the platform's. */
function refusedAbovePorts(row: Row): Code | undefined {
  const { answers, bytes, chunks, text = '', headers = {}, call: line } = row
  const isPlatforms =
    bytes !== undefined || chunks !== undefined || text.length > LARGE_CHARS || /^\w+ \/session/.test(line)
  const hasCredentials = Object.keys(headers).some((name) => /^(?:authorization|cookie|x-)/i.test(name))
  if (typeof answers === 'number' || isPlatforms || hasCredentials) return undefined
  return ABOVE_PORTS.has(answers) ? answers : undefined
}

/** Whether hosts other than Bun try every row and every role too: `npm run test:edge`, `npm run test:server`. */
export const EVERY_ROW = process.env['TIDEMARK_TEST_EVERY_ROW'] === 'true'

/** Scenarios that code above the ports decides, as examples of `what`. */
export function abovePorts(what: string, scenarios: readonly Scenario[]): Scenario[] {
  return scenarios.map((scenario) => ({ ...scenario, decidedAbovePorts: what }))
}

/** The suites with the first example of each thing that is decided above the ports. */
export function oneOfEach(suites: readonly Suite[]): readonly Suite[] {
  const seen = new Set<string>()
  const isFirst = ({ decidedAbovePorts: what }: Scenario) => {
    if (what === undefined) return true
    const isNew = !seen.has(what)
    seen.add(what)
    return isNew
  }
  return suites.map(({ name, scenarios }) => ({ name, scenarios: scenarios.filter(isFirst) }))
}

/** A path of deliveries with a query, which the router takes; without one it passes the router by. The session id in
 * it is not read: senders of these requests have one in their header, or none at all. */
export function throughRouter(path: string): string {
  return `${path}?sessionId=unread`
}

/** Each row once past the router and once through it. */
export function bothWays(rows: readonly Row[]): readonly Row[] {
  return rows.flatMap((row) => [
    row,
    { ...row, title: `${row.title}, through the router`, call: throughRouter(row.call) },
  ])
}

/** The result of `make`, made once for each client. */
export function once<Result>(make: (client: Client) => Promise<Result>): (client: Client) => Promise<Result> {
  const made = new WeakMap<Client, Promise<Result>>()
  return (client) => {
    let result = made.get(client)
    if (!result) made.set(client, (result = make(client)))
    return result
  }
}

export const bareStage: Stage = () => Promise.resolve({})

/** Sends `GET /jobs/{job}` with names filled in. */
export function call(
  client: Client,
  line: string,
  request: Request & { names?: Names } = {},
): Promise<Answer> {
  const space = line.indexOf(' ')
  const path = line
    .slice(space + 1)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => String(request.names?.[name] ?? `{${name}}`))
  return client.request(line.slice(0, space), path, request)
}

/** Compares an answer with what a row expects of it. */
export function expectAnswer(answer: Answer, expected: Pick<Row, 'answers' | 'pointers'>): void {
  const isRefusal = typeof expected.answers === 'string'
  const status = typeof expected.answers === 'string' ? statusOf(expected.answers) : expected.answers
  const wanted = {
    status,
    ...(isRefusal && { code: expected.answers }),
    ...(expected.pointers && { pointers: [...expected.pointers].sort() }),
  }
  const seen = {
    status: answer.status,
    ...(isRefusal && { code: answer.body['code'] }),
    ...(expected.pointers && { pointers: pointersOf(answer) }),
  }
  expect({ ...seen, ...whyNot(answer, status) }).toEqual(wanted)
}

/** Stands for any text in a comparison. */
export const anyText: unknown = expect.any(String)

/** The statuses of answers to requests that ran at the same time, in ascending order. */
export function statusesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status).sort((a, b) => a - b)
}

/** The answer's body, once it is clear that it is a good one. */
export async function good<Result = Readonly<Record<string, unknown>>>(
  answer: Promise<Answer>,
): Promise<Result> {
  const { status, text, body } = await answer
  if (status < 200 || status > 299) throw new Error(`A request was to succeed and got ${status}: ${text}`)
  return body as Result
}

function pointersOf({ body }: Answer): string[] {
  const faults = (body['errors'] ?? []) as { pointer: string }[]
  return [...new Set(faults.map(({ pointer }) => pointer))].sort()
}

/** Shows the whole answer where the status is another one. */
function whyNot({ status, text }: Answer, wanted: number): { text?: string } {
  return status === wanted ? {} : { text: text.slice(0, 500) }
}
