export async function init(_file: string | undefined): Promise<void> {}
