import { expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import { listDependents, listLatestRuns } from '../../src/automation/scripts/store.ts'
import { isScan, planOf, recording } from '../api/plans.ts'
import { expectSnapshot } from '../api/snapshot.ts'
import { startD1 } from '../hosts/d1-database.ts'
import { openPorts } from '../hosts/ports.ts'

const SCRIPTS = 50
const RUNS_OF_EACH = 400
const PLANT_MAX_MS = 60_000

test(
  'the latest runs of scripts are read from an index, the same on D1 and libSQL',
  async () => {
    const stage = await openPorts()
    const d1 = await startD1()
    const ids = Array.from({ length: SCRIPTS }, (_, index) => index + 1)
    const wanted = [2, 3, SCRIPTS, 999]
    for (const database of [stage.ports.database, d1.database]) {
      await database.run(sql`
        insert into script_groups (id, name, description, created_at, updated_at) values (1, 'all', '', 0, 0)`)
      await database.run(sql`
        insert into scripts (id, name, description, group_id, timeout_s, accepted_files, detection, version, created_at, updated_at)
        select value, 'script ' || value, '', 1, 0, '[]', '{}', 1, 0, 0
        from json_each(${JSON.stringify(ids)})`)
      await database.run(sql`
        with recursive n(i) as (select 0 union all select i + 1 from n where i < ${SCRIPTS * RUNS_OF_EACH - 1})
        insert into runs (id, script_id, run_configuration_id, "trigger", state, attempt, "order", retries, is_cancelled,
          log_sequence, log_lines, queued_at)
        select printf('j_%026d', i), i % ${SCRIPTS} + 1, 0, 'manual', 'succeeded', 1, '{}', 0, 0, 0, 0, i from n`)
      await database.run(sql`delete from runs where script_id = 3`)
    }
    const statements: SQL[] = []
    const noting = recording(stage.ports.database, statements)
    const latest = await listLatestRuns(noting, wanted)
    expect(latest.map(({ scriptId, queuedAt }) => [scriptId, queuedAt])).toEqual([
      [2, SCRIPTS * (RUNS_OF_EACH - 1) + 1],
      [SCRIPTS, SCRIPTS * RUNS_OF_EACH - 1],
    ])
    expect(await listLatestRuns(d1.database, wanted)).toEqual(latest)
    await listDependents(noting, wanted)
    const plans = await Promise.all(statements.map((one) => planOf(stage.ports.database, one)))
    for (const plan of plans) expect(plan.filter(isScan)).toEqual([])
    await stage.close()
    await d1.close()
    const titles = ['latest runs of scripts', 'dependents of scripts']
    const text = plans.map((plan, at) => `${titles[at]}\n${plan.map((line) => `  ${line}\n`).join('')}`)
    await expectSnapshot('script-plans.txt', text.join('\n'))
  },
  PLANT_MAX_MS,
)
