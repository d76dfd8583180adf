/** Almost every English sentence has one of these words. Words that also exist in German or Turkish are left out. */
export const englishOnlyWords: ReadonlySet<string> = new Set(
  `the is are i you my to of and it we that for with have has had do did does what where when how who she they this your can be
  not but me our her his their them been would could should about from there were which than some any all`.split(/\s+/),
);
