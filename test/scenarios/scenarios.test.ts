import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { EVERY_ROW } from '../api/suite.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import { playStory, Stage } from './play.ts'
import { readStories, storiesOfAllWords } from './stories.ts'
import { VOCABULARY } from './vocabulary.ts'

const START_MAX_MS = 180_000
const STORY_MAX_MS = 60_000
const STORIES_MIN = 60

const stories = await readStories()

test('there are enough stories, each is called differently, and every word is spoken', () => {
  expect(stories.length).toBeGreaterThanOrEqual(STORIES_MIN)
  expect(new Set(stories.map(({ title }) => title)).size).toBe(stories.length)
  const spoken = new Set(
    stories.flatMap(({ lines }) => lines.flatMap((line) => [line, ...line.below])).map(({ word }) => word),
  )
  expect(VOCABULARY.filter((word) => !spoken.has(word)).map(({ says }) => says)).toEqual([])
})

describe.each(HOSTS_BY_HAND)('on %s', (name, start) => {
  let stage: Stage

  beforeAll(async () => {
    stage = await Stage.open(await start())
  }, START_MAX_MS)
  afterAll(() => stage.hand.host.close())

  const ofHost = stories.filter(({ hosts }) => hosts.includes(name))
  // Both hosts run the same bundle: on workerd, stories of all words have each part of the interface work once.
  for (const story of name === 'bun' || EVERY_ROW ? ofHost : storiesOfAllWords(ofHost)) {
    test(`${story.file}: ${story.title}`, () => playStory(stage, story), STORY_MAX_MS)
  }
})
