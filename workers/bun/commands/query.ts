import { CommandFailure, EXIT } from '../../server/failures.ts'
import { idOf, serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { jsonOf } from './client.ts'
import type { Client } from './client.ts'
import { outcome, table } from './printing.ts'

type Query = {
  readonly id: number
  readonly name: string
  readonly published: number
  readonly updatedAt: string
}
type Result = {
  readonly columns: readonly { readonly name: string }[]
  readonly rows: readonly (readonly (string | number | boolean | null)[])[]
  readonly rowCount: number
  readonly truncated: boolean
  readonly durationMs: number
}
type Operation = {
  readonly id: string
  readonly state: string
  readonly resultUrl: string | null
  readonly error: { readonly detail: string } | null
}

const WORDS_MAX = 200
const ASK_EVERY_MS = 500

/** `tidemark query`: lists and runs data queries. */
export const queryCommand: Command = {
  name: 'query',
  about:
    'Lists and runs data queries. Parameters are name=value. --json prints the response of the service; --draft runs the\n' +
    '  draft instead of the published version.',
  actions: {
    list: serviceAction({ words: '', count: [0, 0], options: {}, run: list }),
    run: serviceAction({
      words: '<query> [<parameter>=<value>…]',
      count: [1, WORDS_MAX],
      options: { draft: { value: null }, limit: { value: 'number' } },
      run,
    }),
  },
}

async function list(invocation: Invocation): Promise<Outcome> {
  const answer = await invocation.client().read<{ readonly items: readonly Query[] }>('/dataQueries')
  return outcome(invocation, answer, ({ items }) =>
    table(
      ['ID', 'NAME', 'VERSION', 'UPDATED'],
      items.map(({ id, name, published, updatedAt }) => [id, name, published, updatedAt]),
      'There are no data queries.',
    ),
  )
}

async function run(invocation: Invocation): Promise<Outcome> {
  const [query, ...pairs] = invocation.words
  const limit = invocation.text('limit')
  const body = {
    parameters: Object.fromEntries(pairs.map(parameterOf)),
    version: invocation.isSet('draft') ? 'draft' : 'published',
    ...(limit === undefined ? {} : { limit: Number(limit) }),
  }
  const result = await resultOf(invocation.client(), idOf(query, 'data query'), JSON.stringify(body))
  return outcome(invocation, result, ({ columns, rows, rowCount, truncated, durationMs }) => {
    const names = columns.map(({ name }) => name)
    const cut = truncated ? ', and more that are not shown' : ''
    return `${table(names, rows, 'The query returned no rows.')}${rowCount} rows${cut} in ${durationMs} ms\n`
  })
}

/** The result of a run, also of one that takes longer than a request waits. @throws {RangeError} with its error */
async function resultOf(client: Client, id: number, body: string): Promise<Result> {
  const response = await client.ask('POST', `/dataQueries/${id}/run`, body, {
    'content-type': 'application/json',
  })
  const answer = await jsonOf<Result | Operation>(response)
  if (!('state' in answer)) return answer
  let operation = answer
  while (operation.resultUrl === null) {
    if (operation.error) throw new RangeError(operation.error.detail)
    if (operation.state === 'cancelled') throw new RangeError('The run was cancelled.')
    await Bun.sleep(ASK_EVERY_MS)
    operation = await client.read<Operation>(`/operations/${operation.id}`)
  }
  return client.read<Result>(`/operations/${operation.id}/result`)
}

function parameterOf(pair: string): readonly [string, string] {
  const at = pair.indexOf('=')
  if (at < 1) throw new CommandFailure(EXIT.usage, `"${pair}" is not <parameter>=<value>.`)
  return [pair.slice(0, at), pair.slice(at + 1)]
}
