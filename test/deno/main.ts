import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

import { runTests } from './testing.ts'

// Runs test files in this process of Deno, with stand-ins for `bun:test` and `Bun`: `[-t <pattern>] <file> …`.

/** Tests of workerd, which does not run here. */
const OF_WORKERD = String.raw`\b(?:edge|workerd|Workers|D1|R2|Durable Object|object of a job|both hosts)\b`

const { values, positionals } = parseArgs({
  options: { pattern: { type: 'string', short: 't', default: '' } },
  allowPositionals: true,
})
for (const file of positionals) await import(pathToFileURL(resolve(file)).href)
const pattern = new RegExp(`^(?!.*${OF_WORKERD}).*(?:${values.pattern})`)
const { passed, failed } = await runTests(pattern)
const files = `${positionals.length} ${positionals.length === 1 ? 'file' : 'files'}`
process.stdout.write(`\n ${passed} pass\n ${failed} fail\nRan ${passed + failed} tests across ${files}.\n`)
process.exit(failed === 0 ? 0 : 1)
