/** `close_range` with CLOSE_RANGE_CLOEXEC of Linux 5.11, by its number, which all processors share. */
const CLOSE_RANGE = 436
const FIRST = 3
const LAST = 0xffff_ffff
const CLOSE_ON_EXEC = 4

/** Keeps descriptors of this process, other than those that it names, from a program that it is about to start. Bun does so by
 * itself. Deno passes on descriptors that it was started with, and descriptors of native code. A pipe or a socket among them would
 * be a way out of the sandbox.
 * @throws {Error} where Linux is older */
export const keepDescriptors: () => void = 'deno' in process.versions ? openKeeper() : () => undefined

function openKeeper(): () => void {
  if (process.platform !== 'linux') return () => undefined
  const { symbols } = Deno.dlopen('libc.so.6', {
    syscall: { parameters: ['u64', 'u64', 'u64', 'u64'], result: 'i32' },
  })
  return () => {
    if (symbols.syscall(CLOSE_RANGE, FIRST, LAST, CLOSE_ON_EXEC) !== 0)
      throw new Error('The runner on Deno needs Linux 5.11 or later: programs would get its open files.')
  }
}
