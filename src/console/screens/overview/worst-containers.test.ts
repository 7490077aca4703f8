import { expect, test } from 'bun:test'

import type { Item } from '../../api/client.ts'

globalThis.document ??= { baseURI: 'http://localhost/ui/' } as unknown as Document
const { worstContainers } = await import('./worst-containers.ts')

const container = (name: string, state: Item<'/slcs'>['state']) => ({ name, state }) as Item<'/slcs'>

test('the containers in the worst states come first, and containers of one state keep their order', () => {
  const all = [
    container('a', 'ok'),
    container('b', 'ok'),
    container('c', 'minor'),
    container('d', 'ok'),
    container('e', 'major'),
  ]
  expect(worstContainers(all, 3).map(({ name }) => name)).toEqual(['e', 'c', 'a'])
})
