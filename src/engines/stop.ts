// Waiting for something that may not heed the turn's signal.

/** The work's outcome, or the signal's reason as a throw as soon as it fires. Leaves no listener behind; the work goes on unheard. */
export async function orStopped<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  let onStop = (): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    onStop = () => reject(stop.reason);
    if (stop.aborted) onStop();
    else stop.addEventListener("abort", onStop, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    stop.removeEventListener("abort", onStop);
  }
}
