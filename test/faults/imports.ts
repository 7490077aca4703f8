import type { HostProcess } from '../hosts/process.ts'
import { until } from '../until.ts'
import type { Session } from './session.ts'

/** A data source of files, and the session that imports into it. */
export type ImportPlace = { readonly session: Session; readonly source: number }

/** Begins to replace the table `orders` by the rows of a CSV text.
 * @param headers of both requests, beside the session
 * @returns the path of the operation */
export async function replaceOrders(
  { session, source }: ImportPlace,
  host: HostProcess,
  { csv, headers = {} }: { readonly csv: string; readonly headers?: Readonly<Record<string, string>> },
): Promise<string> {
  const answer = await fetch(`${host.url}/dataSources/${source}/uploads`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'x-session-id': session.id, ...headers },
    body: csv,
  })
  const { id: upload } = (await answer.json()) as { id: string }
  const order = { upload, table: 'orders', mode: 'replace' }
  const begun = await session.send(host.url, `/dataSources/${source}/import?wait=PT0S`, order, headers)
  if (begun.status !== 202) throw new Error(`${begun.status} ${await begun.text()}`)
  return begun.headers.get('location') ?? ''
}

/** Waits until an import has succeeded. @throws {Error} when it failed */
export async function importEnded(
  { session }: ImportPlace,
  host: HostProcess,
  operation: string,
): Promise<void> {
  await until(async () => {
    const { state, error } = await session.get(host.url, operation)
    if (state === 'failed') throw new Error(JSON.stringify(error))
    return state === 'succeeded'
  })
}
