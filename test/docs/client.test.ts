import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'

const ROOT = join(import.meta.dir, '../..')
const TSC = join(ROOT, 'node_modules/typescript-native/bin/tsc')

const CALL = (path: string) => `import { tidemark } from './client.ts'
export const jobs = tidemark({ url: 'http://localhost', token: 't' }).GET('${path}')
`

test('`npm run client` makes a client for Node whose types are those of the committed OpenAPI', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-client-'))
  try {
    const made = await run(['sh', 'workers/run.sh', 'client', folder])
    expect(made.code, made.output).toBe(0)
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'call.ts'), CALL('/jobs'))
    expect(await check(folder)).toEqual({ code: 0, output: '' })
    writeFileSync(join(folder, 'call.ts'), CALL('/unknown'))
    expect((await check(folder)).output).toContain(`call.ts(2,`)

    // As `npm install` of the folder leaves it.
    const project = join(folder, 'project')
    mkdirSync(join(project, 'node_modules/@tidemark'), { recursive: true })
    symlinkSync(folder, join(project, 'node_modules/@tidemark/client'))
    const program = "import { tidemark } from '@tidemark/client'; console.log(typeof tidemark)"
    writeFileSync(join(project, 'call.mjs'), program)
    expect(await run(['node', join(project, 'call.mjs')])).toEqual({ code: 0, output: 'function\n' })
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 120_000)

function check(folder: string) {
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--target',
    'es2023',
  ]
  const files = [join(folder, 'client.ts'), join(folder, 'call.ts')]
  const more = ['--allowImportingTsExtensions', '--skipLibCheck', '--lib', 'es2023,dom', '--types', '']
  return run([process.execPath, '--bun', TSC, ...options, ...more, ...files])
}

async function run(command: string[]) {
  const child = Bun.spawn(command, { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' })
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, output: out + error }
}
