import { join } from 'node:path'

import type { BunPlugin } from 'bun'

/** The alias of `wrangler.toml`. */
const asWranglerDoes: BunPlugin = {
  name: 'node:util',
  setup(builder) {
    const path = join(import.meta.dir, '../../workers/edge/node-util.ts')
    builder.onResolve({ filter: /^node:util$/ }, () => ({ path }))
  },
}

/** One file with all that a Worker is made of, but for what workerd brings.
 * @throws {AggregateError} when it does not build */
export async function bundleWorker(entry: string, plugins: readonly BunPlugin[] = []): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: 'browser',
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:*', 'node:*'],
    plugins: [asWranglerDoes, ...plugins],
  })
  const [output] = outputs
  if (!output) throw new Error('The Worker did not build.')
  return output.text()
}
