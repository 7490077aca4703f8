import { join } from 'node:path'

import { parseStory } from './parser.ts'
import type { Story } from './parser.ts'
import { VOCABULARY } from './vocabulary.ts'

/** The stories of this folder, in the order of their names.
 * @throws {StoryError} naming file and line of what cannot be understood */
export async function readStories(): Promise<readonly Story[]> {
  const files = [...new Bun.Glob('**/*.scenario').scanSync(import.meta.dir)].sort()
  const read = async (file: string) =>
    parseStory(file, await Bun.file(join(import.meta.dir, file)).text(), VOCABULARY)
  return Promise.all(files.map(read))
}
