import { useState } from 'preact/hooks'

import { jsonOf, upload, urlOf } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { invalidate } from '../../api/resource.ts'
import type { Analysis } from './package.ts'

export type Result = Answer<'/scripts/upload-zip', 'post'>
type Work = 'analyze' | 'import'
export type Step =
  | { readonly at: 'choose' }
  | { readonly at: 'sending'; readonly share: number; readonly what: Work }
  | { readonly at: 'preview'; readonly file: File; readonly analysis: Analysis }
  | { readonly at: 'done'; readonly result: Result }

export type Choice = {
  readonly readMetadata: boolean
  readonly overwrite: boolean
  /** Empty: each script goes into the group that its archive names. */
  readonly groupId: string
  /** The names of the scripts. */
  readonly toImport: readonly string[]
}

type Import = {
  readonly step: Step
  readonly failure: Failure | null
  readonly analyze: (file: File, readMetadata: boolean) => Promise<void>
  readonly importThem: (file: File, analysis: Analysis, choice: Choice) => Promise<void>
}

/** The steps of an import. A refusal leads back to the step before.
 * @param anyGroupId an existing group: an analysis is the same for each */
export function useImport(anyGroupId: number): Import {
  const [step, setStep] = useState<Step>({ at: 'choose' })
  const [failure, setFailure] = useState<Failure | null>(null)
  const post = async (url: string, what: Work, form: FormData): Promise<unknown> => {
    setFailure(null)
    setStep({ at: 'sending', share: 0, what })
    return jsonOf(await upload(url, form, { onSent: (share) => setStep({ at: 'sending', share, what }) }))
  }
  const orBack = async (work: () => Promise<Step>, back: Step): Promise<void> => {
    try {
      setStep(await work())
    } catch (error) {
      setFailure(asFailure(error))
      setStep(back)
    }
  }
  return {
    step,
    failure,
    analyze: (file, readMetadata) => {
      const url = urlOf('/scripts/groups/{groupId}/analyze-zip', { path: { groupId: anyGroupId } })
      const form = formOf(file, { readMetadata: String(readMetadata) })
      const work = async (): Promise<Step> => {
        const analysis = (await post(url, 'analyze', form)) as Analysis
        return { at: 'preview', file, analysis }
      }
      return orBack(work, { at: 'choose' })
    },
    importThem: (file, analysis, { groupId, toImport, readMetadata, overwrite }) => {
      const form = formOf(file, {
        readMetadata: String(readMetadata),
        overwrite: String(overwrite),
        toImport: JSON.stringify(toImport),
      })
      const into = urlOf('/scripts/groups/{groupId}/upload-zip', { path: { groupId } })
      const work = async (): Promise<Step> => {
        const result = (await post(groupId === '' ? '/scripts/upload-zip' : into, 'import', form)) as Result
        invalidate('/scripts')
        return { at: 'done', result }
      }
      return orBack(work, { at: 'preview', file, analysis })
    },
  }
}

function formOf(file: File, fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', file, file.name)
  return form
}
