/**
 * A character of a salt as crypt(3) takes it (crypt(5)): any that prints but the `$` that ends the
 * salt and the `:` that ends the field of a password file. Tools that make salts keep to fewer.
 */
export const cryptSaltCharacter = "[ -#%-9;-~]";
