import { beforeAll, expect, test } from 'bun:test'

import type { Context } from '../../src/context.ts'
import { updateDependencies } from '../../src/monitoring/dependencies/service.ts'
import { deleteGroup } from '../../src/monitoring/tree/groups/service.ts'
import { onEachDatabase } from '../hosts/each-database.ts'
import { plantObject } from './plants.ts'

const [SERVER, ROUTER, SWITCH] = [2, 3, 4]

onEachDatabase((callers) => {
  beforeAll(async () => {
    for (const id of [SERVER, ROUTER, SWITCH])
      await plantObject(callers().context.ports.database, { id, type: 'group', path: `/1/${id}/` })
  })

  const put = async (as: Context, ...dependsOn: readonly number[]) => {
    const view = await updateDependencies(as, { parentType: 'group', parentId: SERVER }, dependsOn)
    return view.dependsOn.map(({ id }) => id)
  }

  test('the answer to new dependencies is what their commit wrote', async () => {
    const { context, before } = callers()
    const ours = await put(
      before(() => put(context, SWITCH)),
      ROUTER,
    )
    expect(ours).toEqual([ROUTER])
    const last = await put(
      before(() => deleteGroup(context, SERVER, false)),
      ROUTER,
      SWITCH,
    )
    expect(last).toEqual([ROUTER, SWITCH])
  })
})
