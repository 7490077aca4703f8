import { afterEach, beforeEach, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { saveStatusPage, showBadge, showPage } from '../../src/monitoring/status-pages/service.ts'
import { SHOWN_MS } from '../../src/monitoring/status-pages/service/public-page.ts'
import type { Database } from '../../src/ports/database.ts'
import type { Ports } from '../../src/ports/index.ts'
import { contextOf, plantObject } from '../flow/plants.ts'
import { openPorts } from '../hosts/ports.ts'

const ASKED = { parentType: 'device', parentId: 2 } as const

let opened: Awaited<ReturnType<typeof openPorts>>
let ports: Ports
let statements = 0

beforeEach(async () => {
  opened = await openPorts()
  await plantObject(opened.ports.database, { id: 2, type: 'device', path: '/1/2/' })
  ports = { ...opened.ports, database: counting(opened.ports.database) }
})
afterEach(() => opened.close())

/** The database, which counts how often it is asked. */
function counting(database: Database): Database {
  return new Proxy(database, {
    get(target, name: keyof Database) {
      if (name === 'all' || name === 'select') statements++
      const found: unknown = target[name]
      return typeof found === 'function' ? (found as () => unknown).bind(target) : found
    },
  })
}

const lastOf = (path: string) => path.split('/').at(-1) ?? ''
const state = () => ({ language: 'en', show: 'state' }) as const

test('a page and a badge are made once in 30 seconds, however often and in whatever form they are asked for', async () => {
  const { page, badge } = await saveStatusPage(contextOf(ports), ASKED, {
    days: 30,
    children: [],
    title: null,
  })
  const [pageToken, badgeToken] = [lastOf(page), lastOf(badge)]
  const askAll = (times: number) =>
    Promise.all(
      Array.from({ length: times }, async (_, index) => {
        await showPage(ports, pageToken, index % 2 === 0 ? 'en' : 'de')
        await showBadge(ports, badgeToken, state())
        await showBadge(ports, badgeToken, { language: 'de', show: 'availability' })
      }),
    )
  statements = 0
  await askAll(1)
  const once = statements
  expect(once).toBeGreaterThan(0)
  opened.clock.at += SHOWN_MS - 1
  await askAll(1_000)
  expect(statements).toBe(once)
  opened.clock.at += 1
  await askAll(1_000)
  expect(statements).toBe(2 * once)
})

test('a page is as old as that at most, and shows maintenance with its planned end', async () => {
  const { page } = await saveStatusPage(contextOf(ports), ASKED, { days: 1, children: [], title: null })
  const read = () => showPage(ports, lastOf(page), 'en')
  expect(await read()).toContain('Unknown')
  await ports.database.run(sql`insert or replace into states (object_id, seq, state, since_at, maintained)
    values (2, 1, 'maintenance_major', ${opened.clock.at}, 1)`)
  await ports.database
    .run(sql`insert into revaluations (object_id, type, adjust_to, begin_at, end_at, name, sla_relevant,
      active, in_past, edit_only, running, next_at, version, created_at, created_by)
    values (1, 'maintenance', 'ok', 0, 9e12, 'internal', 0, '[]', 0, 0, 1, ${Date.UTC(2026, 2, 3)}, 1, 0, 1)`)
  expect(await read()).toContain('Unknown')
  opened.clock.at += SHOWN_MS
  const html = await read()
  expect(html).toContain('<strong class="care">Maintenance</strong>')
  expect(html).toContain('until <time datetime="2026-03-03T00:00:00.000Z">')
  expect(html).not.toContain('internal')
})

test('two who make a page at the same moment have one', async () => {
  const made = await Promise.all(
    [1, 2, 3].map((days) => saveStatusPage(contextOf(ports), ASKED, { days, children: [], title: null })),
  )
  expect(new Set(made.map(({ page }) => page)).size).toBe(1)
})
