import type { Ports } from '../../src/ports/index.ts'

type Batch = Ports['database']['batch']

/** Ports whose `nth` commit comes after the work of another caller, which begins after all reads before that commit. */
export function precededBy(ports: Ports, other: () => Promise<unknown>, nth = 1): Ports {
  return withCommit(ports, nth, async (commit) => {
    await other()
    return commit()
  })
}

/** Ports whose first commit is followed by the work of another caller, before its own caller learns of it. */
export function followedBy(ports: Ports, other: () => Promise<unknown>): Ports {
  return withCommit(ports, 1, async (commit) => {
    const result = await commit()
    await other()
    return result
  })
}

function withCommit(
  ports: Ports,
  nth: number,
  around: (commit: () => Promise<unknown>) => Promise<unknown>,
): Ports {
  let commits = 0
  const batch = (items: Parameters<Batch>[0]) =>
    ++commits === nth ? around(() => ports.database.batch(items)) : ports.database.batch(items)
  const database = new Proxy(ports.database, {
    get(target, name): unknown {
      const found: unknown = Reflect.get(target, name)
      if (name === 'batch') return batch
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  return { ...ports, database }
}
