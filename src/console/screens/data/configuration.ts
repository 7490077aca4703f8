import { call, send } from '../../api/client.ts'
import type { Answer, Call } from '../../api/client.ts'
import { saveFile } from '../../kit/save-file.ts'
import { invalidate } from '../../api/resource.ts'
import type { Configuration } from './configuration-file.ts'

export type Imported = Answer<'/dataSources/import', 'post'>['items']

/** Saves the configuration of all data sources, or of some, as a file of the user. */
export function exportConfiguration(ids?: readonly number[]): Promise<void> {
  const body = JSON.stringify(ids ? { ids } : {})
  const headers = { 'content-type': 'application/json' }
  return saveFile(() => send('POST', '/dataSources/export', { headers, body }), 'data-sources.json')
}

export async function importConfiguration(
  { body }: Configuration,
  { overwrite }: { readonly overwrite: boolean },
): Promise<Imported> {
  const options = { query: { overwrite: String(overwrite) }, body } as unknown as Call<
    '/dataSources/import',
    'post'
  >
  const { items } = await call('post', '/dataSources/import', options)
  invalidate('/dataSources')
  return items
}
