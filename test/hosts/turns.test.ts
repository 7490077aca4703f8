import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { FAST_DIR } from './fast-dir.ts'
import { jobsInTurn } from '../../src/monitoring/jobs/service.ts'
import type { Ports } from '../../src/ports/index.ts'
import { openLibsql } from '../../workers/server/libsql.ts'
import { writeInstallation } from '../bench/installation.ts'

test('jobs have their turn some at a time, each once until all have had one', async () => {
  for (const [count, pages, turns] of [
    [0, 2, [0, 0]],
    [6, 2, [3, 3, 3]],
    [7, 2, [3, 3, 1, 3]],
    [7, 7, [1, 1, 1, 1, 1, 1, 1, 1]],
    [5, 4, [2, 2, 1, 2]],
  ] as const) {
    const folder = await mkdtemp(join(FAST_DIR, 'tidemark-turns-'))
    const ids = await writeInstallation(folder, { count, timeout: 'PT1H' })
    const system = await openLibsql(`file:${join(folder, 'config.db')}`)
    const ports = { database: system.database } as Ports
    const found: (readonly number[])[] = []
    for (const turn of turns.keys())
      found.push(await jobsInTurn(ports, 420 + turn, { pages, sizeMin: 1, sizeMax: 3 }))
    expect(new Set(found.flat())).toEqual(new Set(ids))
    expect(found.map(({ length }) => length)).toEqual([...turns])
    await system.close()
    await rm(folder, { recursive: true })
  }
})
