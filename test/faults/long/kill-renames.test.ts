import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../../hosts/process.ts'
import { killAll } from '../process-tree.ts'
import { Session } from '../session.ts'
import { systemDatabase } from '../system-database.ts'

const HOSTS = [
  ['Bun', ['bun', 'workers/bun/main.ts']],
  ['workerd', ['bun', 'test/faults/edge-host.ts', 'light-hashes']],
] as const
const KILLS = 8
const DEPENDENTS = 60

const textOf = (name: string) =>
  `<#-- \${ref("Sales")} -->SELECT 'Sales' AS s /* Sales */ FROM \${ref("${name}")} q -- Sales`

describe.each(HOSTS)('data queries on %s', (_, command) => {
  test(
    `a rename is in all dependents or in none after ${KILLS} kills`,
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-kill-renames-'))
      let host = await startProcess({ command, dataDir })
      const session = await Session.open(host.url)
      const dataSourceId = await session.create(host.url, '/dataSources', { name: 'files', type: 'csv' })
      const make = (name: string, text: string) =>
        session.create(host.url, '/dataQueries', { name, dataSourceId, text })
      const base = await make('Sales', 'SELECT 1 AS one')
      await session.send(host.url, `/dataQueries/${base}/publish`, {})
      for (let at = 0; at < DEPENDENTS; at++) {
        const id = await make(`dependent ${at}`, textOf('Sales'))
        if (at % 3 === 0) continue
        expect((await session.send(host.url, `/dataQueries/${id}/publish`, {})).status).toBe(200)
      }
      const rename = (name: string) =>
        fetch(`${host.url}/dataQueries/${base}`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json', 'x-session-id': session.id, connection: 'close' },
          body: JSON.stringify({ name }),
        })
      const beganAt = performance.now()
      expect((await rename('Sales 0')).status).toBe(200)
      const tookMs = performance.now() - beganAt
      let name = 'Sales 0'
      const outcomes = new Set<boolean>()
      for (let kill = 1; kill <= KILLS; kill++) {
        const next = `Sales ${kill}`
        const sent = rename(next).then(
          ({ status }) => status,
          () => 0,
        )
        await Bun.sleep((kill / KILLS) * tookMs * 1.2)
        await killAll(host)
        const status = await sent

        const now = await nameIn(dataDir, base)
        host = await startProcess({ command, dataDir })
        expect([name, next]).toContain(now)
        // An answer is the truth.
        if (status === 200) expect(now).toBe(next)
        outcomes.add(now === next)
        name = now
      }
      expect((await rename('Sales at the end')).status).toBe(200)
      await killAll(host)
      expect(await nameIn(dataDir, base)).toBe('Sales at the end')
      await rm(dataDir, { recursive: true })
    },
    60_000 + KILLS * 60_000,
  )
})

/** The name of a data query, after comparing all that refers to it with the name. */
async function nameIn(dataDir: string, id: number): Promise<string> {
  const database = await systemDatabase(dataDir)
  const all = <Row>(text: string) => database.query<Row, []>(text).all()
  const [query] = all<{ name: string }>(`SELECT name FROM data_queries WHERE id = ${id}`)
  const name = query?.name ?? ''
  const texts = all<{ text: string }>(`
    SELECT text FROM data_queries WHERE id <> ${id}
    UNION ALL SELECT text FROM data_query_versions WHERE query_id <> ${id}`)
  const keys = all<{ name: string }>('SELECT name FROM data_query_references')
  database.close()
  expect(texts.length).toBe(DEPENDENTS + (DEPENDENTS * 2) / 3)
  expect(new Set(texts.map(({ text }) => text))).toEqual(new Set([textOf(name)]))
  expect(keys.length).toBe(texts.length)
  expect(new Set(keys.map((key) => key.name))).toEqual(new Set([name.toLowerCase()]))
  return name
}
