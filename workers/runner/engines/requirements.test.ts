import { expect, test } from 'bun:test'

import { pointsIntoTree } from './requirements.ts'

test.each([
  ['six==1.16.0\n# a comment with ./a/path\nrequests[socks]>=2 ; python_version > "3"', false],
  ['--index-url https://index.example.org/simple\n-i https://index.example.org/simple\nsix', false],
  ['six==1.16.0 --hash=sha256:abc', false],
  ['part @ https://example.org/part-1.0-py3-none-any.whl', false],
  ['-r other.txt', true],
  ['--requirement=other.txt', true],
  ['-c constraints.txt', true],
  ['-e .', true],
  ['.', true],
  ['./part', true],
  ['wheels/part-1.0-py3-none-any.whl', true],
  ['part @ file:///srv/part.whl', true],
  ['--find-links wheels', true],
  ['--unheard-of option', true],
])('requirements.txt with %j', (text, points) => expect(pointsIntoTree('pip', text)).toBe(points))

test.each([
  ['[tool.poetry.dependencies]\npython = "^3.11"\nsix = "1.16.0"', false],
  ['[tool.poetry.dependencies]\npart = {path = "part"}', true],
  ['[tool.poetry.dependencies]\npart = { file="part.whl" }', true],
  ['[project]\ndependencies = ["part @ file:part.whl"]', true],
])('pyproject.toml with %j', (text, points) => expect(pointsIntoTree('poetry', text)).toBe(points))
