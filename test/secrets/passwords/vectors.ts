/** Hashes of other implementations, each with the password it was made of and where it is from. */
export type Vector = readonly [password: string, hash: string];

const table = "t\u00e1\u0411\u2113\u0259";
const wave = "\u0399\u03c9\u03b1\u03bd\u03bd\u03b7\u03c2";
const greeting = "grüße 😀";
/** Passwords around the sizes of the digests, where sha-crypt goes from one block to the next. */
const staple = "correct horse battery staple ".repeat(5);

/** The test.c of the reference implementation (P-H-C/phc-winner-argon2), and passlib's tests. */
const argon2: readonly Vector[] = [
  ["password", "$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY"],
  ["password", "$argon2i$m=256,t=2,p=2$c29tZXNhbHQ$tsEVYKap1h6scGt5ovl9aLRGOqOth+AMB+KwHpDFZPs"],
  [
    "differentpassword",
    "$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$6ckCB0tnVFMaOgvlGeW69ASzDOabPwGsO/ISKZYBCaM",
  ],
  [
    "password",
    "$argon2i$v=19$m=256,t=2,p=2$c29tZXNhbHQ$T/XOJ2mh1/TIpJHfCdQan76Q5esCFVoT5MAeIM1Oq2E",
  ],
  [
    "password",
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
  ],
  [
    "password",
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
  ],
  ["password", "$argon2i$v=19$m=380,t=2,p=2$c29tZXNhbHQ$SrssP8n7m/12VWPM8dvNrw"],
  [table, "$argon2i$v=19$m=512,t=2,p=2$1sV0O4PWLtc12Ypv1f7oGw$z+yqzlKtrq3SaNfXDfIDnQ"],
];

/** Openwall's crypt_blowfish 1.2 and John the Ripper, py-bcrypt, passlib, and libxcrypt 4.4. */
const bcrypt: readonly Vector[] = [
  ["U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
  ["U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"],
  ["", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"],
  [
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored",
    "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui",
  ],
  [
    "0123456789".repeat(26).slice(0, 255),
    "$2a$04$R1lJ2gkNaoPGdafE.H.16.1MKHPvmKwryeulRe225LKProWYwt9Oi",
  ],
  ["a", "$2a$10$k87L/MF28Q673VKh8/cPi.SUl7MU/rWuSiIDDFayrKk/1tBsSQu4u"],
  ["abc", "$2a$05$......................ev6gDwpVye3oMCUpLY85aTpfBNHD0Ga"],
  [table, "$2b$05$Z17AXnnlpzddNUvnC6cZNOSwMA/8oNiKnHTHTwLlBijfucQQlHjaG"],
  [greeting, "$2y$04$abcdefghijklmnopqrstuuNvyL2gu6MXHSJvuq6D3ySC9StdkyVY2"],
  // Bits to spare are set: in the salt, in the salt, in the hash.
  ["test", "$2a$04$oaQbBqq8JnSM1NHRPQGXORY4Vw3bdHKLIXTecPDRAcJ98cz1ilveO"],
  ["test", "$2a$04$yjDgE74RJkeqC0/1NheSScrvKeu9IbKDpcQf/Ox3qsrRS/Kw42qIS"],
  ["test", "$2a$04$yjDgE74RJkeqC0/1NheSSOrvKeu9IbKDpcQf/Ox3qsrRS/Kw42qIV"],
];

/** RFC 7914, section 12, in PHC form and crypt(3)'s; passlib; Python's hashlib. */
const scrypt: readonly Vector[] = [
  [
    "",
    "$scrypt$ln=4,r=1,p=1$$d9ZXYjhleyA7GcpCwYoEl/FrSETjB0ro39/6P+3iFEL80Aad7QlI+DJqdToPyB8X6NPg+y4NNijPNeIMONGJBg",
  ],
  [
    "password",
    "$scrypt$ln=10,r=8,p=16$TmFDbA==$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxyevuUqD7m2DYMvfoswGQA==",
  ],
  [
    "pleaseletmein",
    "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI",
  ],
  ["pleaseletmein", "$7$C6..../....SodiumChloride$kBGj9fHznVYFQMEn/qDCfrDevf9YDtcDdKvEqHJLV8D"],
  [
    "nacl",
    "$scrypt$ln=1,r=4,p=2$yhnD+J+Tci4lZCwFgHCuVQ$fAsEWmxSHuC0cHKMwKVFPzrQukgvK09Sj+NueTSxKds",
  ],
  [
    table,
    "$scrypt$ln=7,r=8,p=1$jjGmtDamdA4BQAjBeA9BSA$OiWRHhQtpDx7M/793x6UXK14AD512jg/qNm/hkWZG4M",
  ],
  [greeting, "$scrypt$ln=10,r=8,p=1$c29tZXNhbHQ$TIG4tvyc6bPRU64DA7VDYgAA4mgDloCxSmgfXzT5lo4"],
];

/** RFC 6070 in PHC form, passlib, and Python's hashlib. */
const pbkdf2: readonly Vector[] = [
  ["password", "$pbkdf2-sha1$i=2$c2FsdA$6mwBTcctb4zNHtkqzh1B8NjeiVc"],
  ["password", "$pbkdf2-sha1$i=4096$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE"],
  [
    "passwordPASSWORDpassword",
    "$pbkdf2-sha1$i=4096$c2FsdFNBTFRzYWx0U0FMVHNhbHRTQUxUc2FsdFNBTFRzYWx0$PS7sT+QchJuAyNg2YsDkSospGpZM8vBwOA",
  ],
  ["password", "$pbkdf2$1212$OB.dtnSEXZK8U5cgxU/GYQ$y5LKPOplRmok7CZp/aqVDVg8zGI"],
  [wave, "$pbkdf2$1212$THDqatpidANpadlLeTeOEg$HV3oi1k5C5LQCgG1BMOL.BX4YZc"],
  [
    "password",
    "$pbkdf2-sha256$1212$4vjV83LKPjQzk31VI4E0Vw$hsYF68OiOUPdDZ1Fg.fJPeq1h/gXXY7acBp9/6c.tmQ",
  ],
  [
    wave,
    "$pbkdf2-sha512$1212$KkbvoKGsAIcF8IslDR6skQ$8be/PRmd88Ps8fmPowCJttH9G3vgxpG.Krjt3KT.NP6cKJ0V4Prarqf.HBwz0dCkJ6xgWnSj2ynXSV7MlvMa8Q",
  ],
  [greeting, "$pbkdf2-sha256$i=1000,l=32$c29tZXNhbHQ$xJm2b8nsPjE5aTWeoMd/01zNUzGa+arc88ne5VShb4A"],
  [
    greeting,
    "$pbkdf2-sha512$i=1000$c29tZXNhbHQ$9DKoRY4Oy9aeTQuJYzaNi21ayczGnrdvPAMfhkkB2hVaU4XlJbiJGL3U3oiQWzQpVv5M+KWaT2jpFNd4TFis/A",
  ],
];

/**
 * Drepper's SHA-crypt.txt, John the Ripper, libxcrypt 4.4 and OpenSSL 3.0, which alone takes any
 * salt that it is given.
 */
const shaCrypt: readonly Vector[] = [
  ["Hello world!", "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"],
  ["Hello world!", "$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA"],
  [
    "This is just a test",
    "$5$rounds=5000$toolongsaltstrin$Un/5jzAHMgOGZ5.mWJpuVolil07guHPvOW8mGRcvxa5",
  ],
  [
    "a very much longer text to encrypt.  This one even stretches over morethan one line.",
    "$5$rounds=1400$anotherlongsalts$Rx.j8H.h8HjEDGomFU8bDkXm3XIUnzyxf12oP84Bnq1",
  ],
  ["", "$5$kc7lRD1fpYg0g.IP$d7CMTcEqJyTXyeq8hTdu/jB/I6DGkoo62NXbHIR7S43"],
  [greeting, "$5$saltsalt$0jg5FhOYrP.CUO8npHy.Fc4BxjrhIicOUaMQrTWvvrB"],
  [greeting, "$5$rounds=1000$$7WTucgDvXJ8gtv7qynxKICwKKh7wlWaIbQrd0NWlodC"],
  [
    "Hello world!",
    "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
  ],
  [
    "the minimum number is still observed",
    "$6$rounds=1000$roundstoolow$kUMsbe306n21p9R.FRkW3IGn.S9NPN0x50YhH1xhLsPuWGsUSklZt58jaTfF4ZEQpyUNGc0dqbpBYYBaHHrsX.",
  ],
  [
    greeting,
    "$6$saltsalt$4XOKLV/BEsVGbCIdLQ6VmRchT8bKZdDr/bcUrYhLXDeH2W4ukSbIYxAsi1kZoeIdNE89D0u2apRbHlUP.0wS7/",
  ],
  ["password", "$5$my-salt_x$d.5aNN3uko2YCQvbzgQOKBTc6EgMZsUBxcsywC2G8N0"],
  ["password", "$5$a b~!@#%^&*$PlE6Ol9kRVdfXj/Yyx2O78CH8H5jt0ro2rEKPj4WXq1"],
  [
    "password",
    "$6$my-salt_x$4VOGBfFxRWjJMYXO4V5jgltwqsG6hVVJo0gRUl74U2Oc9Lybd0dwt6jTuoO5HagnSsEHPx11Iol8iTjbyq21S.",
  ],
  [
    "password",
    "$6$rounds=1000$my-salt_x$UVXQ4/nqQVWhVbrwswGvhx801A30fpgmtInHUXsaIG4UARGz2ff7vYEcnmlITsi03DyXOP5P4c8f4ujZdiVrO0",
  ],
  [staple.slice(0, 31), "$5$rounds=1000$saltstring$oVSZIV6Gw7BY9H4n4/THM/0yZXR8RnaxjntzIWqZ7T1"],
  [staple.slice(0, 32), "$5$rounds=1000$saltstring$uphb9dhxX8vC6mZu/9j8iMgX9jZbxXLm01QvGgIoJfC"],
  [staple.slice(0, 33), "$5$rounds=1000$saltstring$Xj/VHWQTbBrgHumS/OdIkt1lE6Q27/KL1Jx1KQiGqjB"],
  [staple.slice(0, 64), "$5$rounds=1000$saltstring$LUgX9Z4oC0iEbfgO7Pkk44lEu9SamU36mIiKSKGgWL."],
  [
    staple.slice(0, 63),
    "$6$rounds=1000$saltstring$RpImHvtP5fHDotUsfeQGy9.XOQtplFxPZl4uYaVlzP9AHjaJM7.9JzsBiAt4rBsTPMb3HFfYxfzCQ3RzmL4000",
  ],
  [
    staple.slice(0, 64),
    "$6$rounds=1000$saltstring$hloNu.4WgxY.OhIxlup7ePSEicGo5M74eRNtSr4Jn0ekQiVPhfcXNqUUBKzJZLyPCEjWfKTxcmx.c2isYqH/1/",
  ],
  [
    staple.slice(0, 65),
    "$6$rounds=1000$saltstring$ttWNM4gZbdiOuOkTzSyGusjyUPFMpgsYDd0QvpDBzIA9ZJfxQm9CzA7sunDsf85I9e8zMcdEpQUwntMEjBBQq.",
  ],
  [
    staple.slice(0, 128),
    "$6$rounds=1000$saltstring$ter6Q.Llu7H0sS2RWGsXbmS9Bb.Mv3SSM4oXIgqipzACrF/OelepeGTb58PaYOvqyrNtGxgYir58m/XTfJLRZ.",
  ],
];

/** John the Ripper 1.7.9, passlib, libxcrypt 4.4 and OpenSSL 3.0. */
const md5Crypt: readonly Vector[] = [
  ["U*U*U*U*", "$1$dXc3I7Rw$ctlgjDdWJLMT.qwHsWhXR1"],
  ["", "$1$Eu.GHtia$CFkL/nE1BYTlEPiVx1VWX0"],
  ["4lpHa N|_|M3r1K W/ Cur5Es: #$%(*)(*%#", "$1$jQS7o98J$V6iTcr71CGgwW2laf17pi1"],
  ["s", "$1$ssssssss$YgmLTApYTv12qgTwBoj8i/"],
  [table, "$1$d6/Ky1lU$/xpf8m7ftmWLF.TjHCqel0"],
  [greeting, "$1$saltsalt$od1xloZFQc7i5EKt1XUbG0"],
  [greeting, "$1$$.0JZ2YXqTzTP52qSkTKD30"],
  ["password", "$1$my-salt_$Nocc2whrXi2i6l6ywGZWJ/"],
  ["password", '$1$%&"~ <>;$sG1YozYkzFQRPZcpiLRhp0'],
];

/** phpass 0.3's own test.php, John the Ripper 1.7.9, and passlib. */
const phpass: readonly Vector[] = [
  ["test12345", "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0"],
  ["test1", "$H$9aaaaaSXBjgypwqm.JsMssPLiS8YQ00"],
  ["thisisalongertestPW", "$P$912345678LIjjb6PhecupozNBmDndU0"],
  ["JohnRipper", "$P$612345678si5M0DDyPpmRCmcltU/YW/"],
  ["JohnRipper", "$H$712345678WhEyvy1YWzT4647jzeOmo0"],
  ["JohnRipper", "$P$B12345678L6Lpt4BxNotVIMILOa9u81"],
  ["", "$P$7JaFQsPzJSuenezefD/3jHgt5hVfNH0"],
  [table, "$P$7SMy8VxnfsIy2Sxm7fJxDSdil.h7TW."],
];

export const vectors: readonly Vector[] = [
  ...argon2,
  ...bcrypt,
  ...scrypt,
  ...pbkdf2,
  ...shaCrypt,
  ...md5Crypt,
  ...phpass,
];
