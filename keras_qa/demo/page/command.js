// The command of the kit that ranks the same answers.

/**
 * Fills a ranker's command.
 *
 * @param {string} template with {question} and {answers}.
 * @param {string} question
 * @param {string[]} answers
 */
export function commandOf(template, question, answers) {
  const filled = {
    "{question}": () => quote(question),
    "{answers}": () => answers.map(quote).join(" "),
  };
  return template.replace(/\{question\}|\{answers\}/g, (name) =>
    filled[name](),
  );
}

/**
 * A text as one argument of a POSIX shell. Control characters, which a terminal
 * would act on when the command is pasted, become spaces. A space before a
 * hyphen, which no ranker reads, says that the text is no option.
 */
export function quote(text) {
  const safe = text.replace(/[\p{Cc}\u2028\u2029]/gu, " ").replace(/^-/, " -");
  return `'${safe.replaceAll("'", `'\\''`)}'`;
}
