import { expect, test } from 'bun:test'

import { openConsoleAssets } from './console-assets.ts'

test('the log has the first error of a build, not the warnings before it', async () => {
  const [warning, error] = [
    { level: 'warning', message: "invalid @ rule encountered: '@page'" },
    { level: 'error', message: 'Could not resolve: "./gone.ts"' },
  ]
  const causes: unknown[] = []
  const log = { info() {}, warn() {}, error: (_: string, cause: unknown) => void causes.push(cause) }
  const assets = openConsoleAssets(() => Promise.reject(new AggregateError([warning, error])), log)
  expect(await assets.find('index.html')).toBeNull()
  expect(causes).toEqual([error])
})
