import { TABLES } from '../../src/content/backups/store/tables.ts'
import { reseal } from '../../src/content/backups/service/sealing.ts'
import { unseal } from '../../src/access/session/keys.ts'
import { secretsOf } from '../../workers/secrets.ts'
import type { World } from './world.ts'

export type Compared = Readonly<Record<string, readonly string[]>>

/** Every row of every table that a backup keeps, its secrets in the open, and without the keys of blobs. */
export async function tablesOf(world: World, kinds: readonly string[]): Promise<Compared> {
  const compared: Record<string, readonly string[]> = {}
  const secrets = secretsOf(world.host.key)
  for (const table of TABLES.filter(({ kept }) => kinds.includes(kept))) {
    const columns = table.columns.map(({ name }) => name)
    const rows = await world.rows(
      `select ${columns.map((one) => `"${one}"`).join(', ')} from "${table.name}"`,
    )
    const texts = rows.map(async (row) => {
      const cells = columns.map((column) => (table.name === 'files' && column === 'blob' ? '' : row[column]))
      const open = await reseal(table, columns, cells, async (sealed, purpose) =>
        new TextDecoder().decode(await unseal(secrets, sealed, purpose)),
      )
      return JSON.stringify(open)
    })
    compared[table.name] = (await Promise.all(texts)).sort()
  }
  return compared
}

/** What each job has received, by reads. */
export async function historiesOf(world: World, jobs: readonly number[]): Promise<readonly unknown[]> {
  const read = async (path: string) => world.good<unknown>('GET', path)
  const all = jobs.map(async (id) => [
    await read(`/jobs/${id}/value-history?values=true&limit=10000`),
    await read(`/jobs/${id}/value-history?scale=PT1H`),
    await read(`/jobs/${id}/value-history?key=stringValue1`),
    await read(`/jobs/${id}/state-history`),
    await read(`/jobs/${id}?values=true`),
  ])
  return Promise.all(all)
}

export async function fileOf(world: World, name: string): Promise<string> {
  const response = await world.ask('GET', `/files/${name}`)
  return `${response.status} ${await response.text()}`
}
