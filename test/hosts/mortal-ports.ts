import { withScripts } from '../../src/automation/runs/service.ts'
import type { Ports } from '../../src/ports/index.ts'
import type { Mortal } from '../engine/mortal.ts'

/** Ports of a process that dies at some step: a commit, or a blob that is put. */
export function mortalPorts(mortal: Mortal, ports: Ports): Ports {
  const { blobs, database } = ports
  return withScripts({
    ...ports,
    blobs: { ...blobs, put: (key, body) => mortal.step(() => blobs.put(key, body)) },
    database: new Proxy(database, {
      get(target, name): unknown {
        const found: unknown = Reflect.get(target, name)
        if (name === 'batch')
          return (items: Parameters<typeof target.batch>[0]) => mortal.step(() => target.batch(items))
        return typeof found === 'function' ? found.bind(target) : found
      },
    }),
  })
}
