import type { Ports } from '../../src/ports/index.ts'

type Batch = Ports['database']['batch']

/** Ports whose first commit is followed by the work of another caller, before its own caller learns of it. */
export function followedBy(ports: Ports, other: () => Promise<unknown>): Ports {
  return withFirstCommit(ports, async (commit) => {
    const result = await commit()
    await other()
    return result
  })
}

function withFirstCommit(ports: Ports, around: (commit: () => Promise<unknown>) => Promise<unknown>): Ports {
  let isFirst = true
  const batch = (items: Parameters<Batch>[0]) => {
    if (!isFirst) return ports.database.batch(items)
    isFirst = false
    return around(() => ports.database.batch(items))
  }
  const database = new Proxy(ports.database, {
    get(target, name): unknown {
      const found: unknown = Reflect.get(target, name)
      if (name === 'batch') return batch
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  return { ...ports, database }
}
