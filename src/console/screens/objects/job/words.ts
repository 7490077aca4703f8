import type { Words } from '../../../language/t.ts'

/** The words of the page of a job. */
export const words: Words = {
  en: () => import('./words/en.json'),
  de: () => import('./words/de.json'),
  fr: () => import('./words/fr.json'),
}
