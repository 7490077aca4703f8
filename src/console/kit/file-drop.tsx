import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { t } from '../language/t.ts'
import { Icon } from './icons.tsx'

/** A place to drop a file, which also opens the browser's choice of files.
 * @param accept the extensions of files, such as `.zip` */
export function FileDrop({
  label,
  hint,
  accept,
  file,
  onFile,
}: {
  readonly label: string
  readonly hint: string
  readonly accept: string
  readonly file: File | null
  readonly onFile: (file: File) => void
}): JSX.Element {
  const [isOver, setOver] = useState(false)
  const take = (files: FileList | null | undefined): void => {
    setOver(false)
    const [first] = files ?? []
    if (first) onFile(first)
  }
  return (
    <label
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        take(event.dataTransfer?.files)
      }}
    >
      <input
        class="vh"
        type="file"
        accept={accept}
        aria-label={label}
        onChange={(event) => take(event.currentTarget.files)}
      />
      <Icon name="file" />
      <b>{file?.name ?? label}</b>
      <span class="hint">{file ? t('kit.otherFile') : hint}</span>
    </label>
  )
}
