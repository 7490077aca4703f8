import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { hostsOfIndex } from './index-hosts.ts'
import { lockOf, talendJob, wheel } from './packages.ts'
import { openStage } from './stage.ts'
import type { Stage } from './stage.ts'
import type { Known } from './service.ts'

const WHEEL = 'wheels/part-1.0-py3-none-any.whl'

let stage: Stage
beforeAll(async () => {
  // A machine may have a mirror of the index in its own network.
  stage = await openStage({ TIDEMARK_OUTBOUND_ALLOW: hostsOfIndex() })
})
afterAll(() => stage.close())

const saidBy = (job: Known) => job.lines.filter(({ stream }) => stream === 'stdout').map(({ text }) => text)
const notesOf = (job: Known) => job.lines.filter(({ stream }) => stream === 'system').map(({ text }) => text)

test('the runner says what it can run', () => {
  expect(stage.runner.about.capabilities).toEqual(['python', 'shell', 'talend', 'forecast'])
})

describe('Python', () => {
  test('runs main.py where the script is, with modules beside it', async () => {
    const job = stage.service.order({
      runner: 'python',
      runnerFile: 'src/main.py',
      files: {
        'src/main.py': 'import sys, os, part\nprint(part.NAME, sys.argv[1:], open("data.txt").read())',
        'src/part.py': 'NAME = "part"',
        'data.txt': 'data',
      },
      arguments: ['--full'],
    })
    expect(await job.ended).toMatchObject({ outcome: 'succeeded' })
    expect(saidBy(job)).toEqual(["part ['--full'] data"])
  })

  test('with requirements.txt gets what it asks for by pip; the next run finds it there', async () => {
    const order = {
      runner: 'python',
      dependencyManager: 'pip',
      files: { 'main.py': 'import six; print(six.__version__)', 'requirements.txt': 'six==1.16.0\n' },
    } as const
    const first = stage.service.order(order)
    const unmet = { ...order, files: { ...order.files, 'requirements.txt': 'six==0.0.0.1\n' } }
    const failing = stage.service.order(unmet)
    expect(await first.ended).toMatchObject({ outcome: 'succeeded', error: null })
    expect(saidBy(first)).toEqual(['1.16.0'])
    expect(notesOf(first)[0]).toBe('Preparing a Python environment for requirements.txt.')
    const other = { ...order.files, 'main.py': 'import six; print("again", six.__version__)' }
    const second = stage.service.order({ ...order, files: other })
    await second.ended
    expect(saidBy(second)).toEqual(['again 1.16.0'])
    expect(notesOf(second)).toEqual([])

    // A script whose packages cannot be installed fails before it runs, and the log gives the reason.
    expect(await failing.ended).toMatchObject({ outcome: 'failed', exitCode: null })
    expect(failing.started).toBeNull()
    expect(notesOf(failing).join('\n')).toContain('No matching distribution')
    const names = await readdir(join(stage.dir, 'environments'))
    expect(names.filter((name) => name.endsWith('.ready'))).toHaveLength(1)
  })

  test('with pyproject.toml gets what its lock says by Poetry', async () => {
    const project = [
      '[tool.poetry]\nname = "script"\nversion = "1.0.0"\ndescription = ""\nauthors = []',
      `[tool.poetry.dependencies]\npython = "^3.11"\npart = {path = "${WHEEL}"}`,
    ].join('\n')
    const files = { 'pyproject.toml': project, [WHEEL]: await wheel('part', '1.0', 'of a wheel') }
    const lock = { 'poetry.lock': await lockOf(files), 'main.py': 'import part; print(part.VALUE)' }
    const order = { runner: 'python', dependencyManager: 'poetry', files: { ...files, ...lock } } as const
    const first = stage.service.order(order)
    expect(await first.ended).toMatchObject({ outcome: 'succeeded', error: null })
    const second = stage.service.order(order)
    await second.ended
    expect([...saidBy(first), ...saidBy(second)]).toEqual(['of a wheel', 'of a wheel'])
    expect([notesOf(first).length > 0, notesOf(second)]).toEqual([true, []])
  }, 180_000)
})

test('a job that Talend exported runs as it is', async () => {
  const files = await talendJob()
  const order = { runner: 'talend', runnerFile: 'Job/Job_run.sh', env: { REGION: 'eu' }, files } as const
  const job = stage.service.order({ ...order, arguments: ['--context_param', 'whom=all'] })
  expect(await job.ended).toMatchObject({ outcome: 'succeeded', exitCode: 0, error: null })
  expect(saidBy(job)).toEqual(['greetings to --context=Default --context_param whom=all in eu'])
  expect(job.progress).toEqual([{ value: 1, message: 'done' }])
}, 180_000)
