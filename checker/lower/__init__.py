"""From syntax trees to the typed core IR: names, types, inference, match, and the rules of the modes."""
