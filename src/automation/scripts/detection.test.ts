import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { detect, nothingRuns } from './detection.ts'

const JOB = ['Job/Job_run.sh', 'Job/job_0_1.jar', 'lib/routines.jar', 'jobInfo.properties']

test.each([
  [[], null, null, ['runner.none']],
  [['readme.md', 'src/other.py'], null, null, ['runner.none']],
  [['main.py'], 'python', 'main.py', []],
  [['src/main.py'], 'python', 'src/main.py', []],
  [['run.sh'], 'shell', 'run.sh', []],
  [['a/b/run.sh'], 'shell', 'a/b/run.sh', []],
  [['main.py', 'run.sh'], 'python', 'main.py', ['runner.ambiguous']],
  [['src/main.py', 'run.sh'], 'shell', 'run.sh', ['runner.ambiguous']],
  [['main.py', 'src/main.py'], 'python', 'main.py', ['runner.ambiguous']],
  [['b/main.py', 'a/main.py'], 'python', 'a/main.py', ['runner.ambiguous']],
  [['xmain.py', 'main.py.txt', 'main.py/x', 'RUN.SH'], null, null, ['runner.none']],
  [JOB, 'talend', 'Job/Job_run.sh', []],
  [JOB.slice(0, 3), 'talend', 'Job/Job_run.sh', []],
  [['Job_run.sh', 'lib/x.jar'], 'talend', 'Job_run.sh', []],
  [['Job_run.sh', 'jobInfo.properties'], 'talend', 'Job_run.sh', []],
  [['Job_run.sh'], null, null, ['runner.none']],
  [['Job_run.sh', 'lib/x.txt'], null, null, ['runner.none']],
  [['Job/a/Job_run.sh', 'lib/x.jar'], null, null, ['runner.none']],
  [['jobInfo.properties'], null, null, ['runner.none', 'talend.no_launcher']],
  [[...JOB, 'run.sh'], 'talend', 'Job/Job_run.sh', ['runner.ambiguous']],
  [[...JOB, 'main.py'], 'python', 'main.py', ['runner.ambiguous']],
  [[...JOB, 'Job/run.sh'], 'talend', 'Job/Job_run.sh', ['runner.ambiguous']],
  [JOB.map((file) => `x_0.1/${file}`), 'talend', 'x_0.1/Job/Job_run.sh', []],
  [[...JOB, 'Other/Other_run.sh'], 'talend', 'Job/Job_run.sh', ['runner.ambiguous']],
] as const)('%p is run by %p', (files, runner, runnerFile, warnings) => {
  expect(detect(files)).toMatchObject({ runner, runnerFile, warnings: [...warnings] })
})

test.each([
  [['main.py'], 'none', null],
  [['main.py', 'requirements.txt'], 'pip', 'requirements.txt'],
  [['main.py', 'requirements.txt', 'pyproject.toml'], 'poetry', 'pyproject.toml'],
  [['main.py', 'requirements.txt', 'pyproject.toml.off'], 'pip', 'requirements.txt'],
  [['src/main.py', 'pyproject.toml'], 'poetry', 'pyproject.toml'],
  [['src/main.py', 'src/pyproject.toml', 'pyproject.toml'], 'poetry', 'src/pyproject.toml'],
  [['src/main.py', 'src/requirements.txt', 'pyproject.toml'], 'poetry', 'pyproject.toml'],
  [['main.py', 'src/pyproject.toml'], 'none', null],
  [['run.sh', 'pyproject.toml', 'requirements.txt'], 'none', null],
  [['pyproject.toml'], 'none', null],
] as const)('the dependencies of %p are in %p', (files, dependencyManager, dependencyFile) => {
  expect(detect(files)).toMatchObject({ dependencyManager, dependencyFile })
})

test('the order in which files came makes no difference, and what is started is one of them', () => {
  const file = fc
    .array(fc.constantFrom('a', 'b', 'lib'), { maxLength: 3 })
    .chain((directories) =>
      fc
        .constantFrom(
          'main.py',
          'run.sh',
          'x_run.sh',
          'y_run.sh',
          'x.jar',
          'jobInfo.properties',
          'pyproject.toml',
        )
        .map((name) => [...directories, name].join('/')),
    )
  fc.assert(
    fc.property(fc.uniqueArray(file, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (files, order) => {
      const keys = new Map(files.map((one) => [one, order.next().value as number]))
      const found = detect(files)
      expect(detect([...files].sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0)))).toEqual(found)
      expect(found.runner === null).toBe(found.warnings.includes('runner.none'))
      if (found.runnerFile !== null) expect(files).toContain(found.runnerFile)
      // Nothing that is nearer to the root would do as well.
      const depth = (path: string) => path.split('/').length
      for (const one of files.filter((path) => /(?:^|\/)(?:main\.py|run\.sh)$/.test(path)))
        expect(depth(found.runnerFile ?? '') - (found.runner === 'talend' ? 1 : 0)).toBeLessThanOrEqual(
          depth(one),
        )
    }),
    { numRuns: 500 },
  )
})

test.each([
  [[], 'Add main.py (Python) or run.sh (shell).'],
  [['etl.py'], 'Rename etl.py to main.py (found: etl.py).'],
  [['b/start.sh', 'a.txt'], 'Rename b/start.sh to run.sh (found: a.txt, b/start.sh).'],
  [['a.py', 'b.py'], 'Name the entry point main.py (Python) or run.sh (shell) (found: a.py, b.py).'],
  [['6', '5', '4', '3', '2', '1'], 'main.py (Python) or run.sh (shell) (found: 1, 2, 3, 4, 5, …).'],
])('of the files %p it is said what to do', (files, expected) =>
  expect(nothingRuns(files)).toEndWith(expected),
)
